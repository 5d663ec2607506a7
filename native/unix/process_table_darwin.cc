// libproc. Compiled for macOS; not run by anyone yet.
#include <libproc.h>
#include <sys/proc.h>
#include <sys/proc_info.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "unix/process_table.h"

namespace argv_spawn {

namespace {

// The tables are read in one call into a buffer that must be large enough; it may grow between asking and reading.
constexpr int kSpare = 32;

std::vector<pid_t> ListPids(uint32_t type, uint32_t info) {
  const int bytes = proc_listpids(type, info, nullptr, 0);
  if (bytes <= 0) return {};
  std::vector<pid_t> pids(static_cast<size_t>(bytes) / sizeof(pid_t) + kSpare);
  const int filled = proc_listpids(type, info, pids.data(), static_cast<int>(pids.size() * sizeof(pid_t)));
  pids.resize(filled <= 0 ? 0 : static_cast<size_t>(filled) / sizeof(pid_t));
  return pids;
}

// The handles of the pipes' other ends, as the kernel names them.
std::vector<uint64_t> PeerHandles(const std::vector<int>& fds) {
  std::vector<uint64_t> handles;
  for (const int fd : fds) {
    pipe_fdinfo info{};
    const int size = proc_pidfdinfo(getpid(), fd, PROC_PIDFDPIPEINFO, &info, sizeof info);
    if (size == static_cast<int>(sizeof info)) handles.push_back(info.pipeinfo.pipe_peerhandle);
  }
  return handles;
}

bool HasOneOpen(pid_t pid, const std::vector<uint64_t>& handles) {
  const int bytes = proc_pidinfo(pid, PROC_PIDLISTFDS, 0, nullptr, 0);
  if (bytes <= 0 || handles.empty()) return false;
  std::vector<proc_fdinfo> open(static_cast<size_t>(bytes) / sizeof(proc_fdinfo) + kSpare);
  const int room = static_cast<int>(open.size() * sizeof(proc_fdinfo));
  const int filled = proc_pidinfo(pid, PROC_PIDLISTFDS, 0, open.data(), room);
  open.resize(filled <= 0 ? 0 : static_cast<size_t>(filled) / sizeof(proc_fdinfo));
  return std::any_of(open.begin(), open.end(), [&](const proc_fdinfo& one) {
    pipe_fdinfo info{};
    if (one.proc_fdtype != PROX_FDTYPE_PIPE) return false;
    const int size = proc_pidfdinfo(pid, one.proc_fd, PROC_PIDFDPIPEINFO, &info, sizeof info);
    return size == static_cast<int>(sizeof info) &&
           std::find(handles.begin(), handles.end(), info.pipeinfo.pipe_handle) != handles.end();
  });
}

}  // namespace

bool CanSeeProcesses() { return true; }

std::optional<ProcessInfo> DescribeProcess(pid_t pid) {
  proc_bsdinfo found{};
  constexpr uint64_t kZombiesToo = 1;  // the argument of PROC_PIDTBSDINFO (bsd/kern/proc_info.c)
  const int size = proc_pidinfo(pid, PROC_PIDTBSDINFO, kZombiesToo, &found, sizeof found);
  if (size != static_cast<int>(sizeof found)) return std::nullopt;
  ProcessInfo info;
  info.pid = pid;
  info.name = found.pbi_name[0] != 0 ? found.pbi_name : found.pbi_comm;
  info.dead = found.pbi_status == SZOMB;
  info.other_user = geteuid() != 0 && found.pbi_uid != geteuid();
  return info;
}

std::vector<ProcessInfo> GroupMembers(pid_t group) {
  std::vector<ProcessInfo> members;
  for (const pid_t pid : ListPids(PROC_PGRP_ONLY, static_cast<uint32_t>(group))) {
    if (auto info = DescribeProcess(pid)) members.push_back(std::move(*info));
  }
  return members;
}

std::vector<ProcessInfo> Descendants(pid_t root) {
  std::vector<pid_t> pids = ListPids(PROC_PPID_ONLY, static_cast<uint32_t>(root));
  for (size_t i = 0; i < pids.size(); i++) {
    for (const pid_t pid : ListPids(PROC_PPID_ONLY, static_cast<uint32_t>(pids[i]))) {
      if (std::find(pids.begin(), pids.end(), pid) == pids.end()) pids.push_back(pid);
    }
  }
  std::vector<ProcessInfo> found;
  for (const pid_t pid : pids) {
    if (auto info = DescribeProcess(pid)) found.push_back(std::move(*info));
  }
  return found;
}

bool HoldsPipeOf(pid_t pid, const std::vector<int>& fds) { return HasOneOpen(pid, PeerHandles(fds)); }

std::vector<ProcessInfo> PipeHolders(const std::vector<int>& fds) {
  std::vector<ProcessInfo> holders;
  const std::vector<uint64_t> handles = PeerHandles(fds);
  if (handles.empty()) return holders;
  const pid_t self = getpid();
  for (const pid_t pid : ListPids(PROC_ALL_PIDS, 0)) {
    if (pid <= 0 || pid == self || !HasOneOpen(pid, handles)) continue;
    if (auto info = DescribeProcess(pid)) holders.push_back(std::move(*info));
  }
  return holders;
}

}  // namespace argv_spawn
