#include "unix/child_process.h"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cerrno>
#include <utility>

#include "unix/pidfd.h"

namespace argv_spawn {

namespace {

ExitState FromWaitStatus(int status) {
  ExitState state;
  state.known = true;
  state.signalled = WIFSIGNALED(status);
  state.core_dumped = state.signalled && WCOREDUMP(status);
  state.value = static_cast<uint32_t>(state.signalled ? WTERMSIG(status) : WEXITSTATUS(status));
  return state;
}

int64_t RssBytes(const rusage& usage) {
#ifdef __APPLE__
  return usage.ru_maxrss;  // bytes
#else
  return static_cast<int64_t>(usage.ru_maxrss) * 1024;  // kilobytes
#endif
}

int64_t HostPeakRss() {
  rusage own{};
  return getrusage(RUSAGE_SELF, &own) == 0 ? RssBytes(own) : INT64_MAX;
}

double Milliseconds(const timeval& span) {
  return static_cast<double>(span.tv_sec) * 1000 + static_cast<double>(span.tv_usec) / 1000;
}

}  // namespace

ExitState MakeExitState(int code, int status) {
  ExitState state;
  state.known = true;
  state.signalled = code != CLD_EXITED;
  state.core_dumped = code == CLD_DUMPED;
  state.value = static_cast<uint32_t>(status);
  return state;
}

bool HasPidfd() {
  static const bool has = pidfd::Probe();
  return has;
}

// Whether a process group can be named by a pidfd.
static bool HasGroupSignal() {
  static const bool has = HasPidfd() && pidfd::ProbeGroupSignal();
  return has;
}

ChildProcess::ChildProcess(pid_t pid, bool leads_group) : pid_(pid), leads_group_(leads_group) {
  // No descriptor left, or reaped by someone else already: the waiting thread then finds out.
  if (HasPidfd()) pidfd_ = UniqueFd(pidfd::Open(pid));
}

ChildProcess::ChildProcess(pid_t pid, UniqueFd pidfd)
    : pid_(pid), leads_group_(true), foreign_(true), pidfd_(std::move(pidfd)) {}

// A pidfd is readable once its process has ended, whoever its parent is.
bool ChildProcess::HasForeignEnded() const {
  pollfd entry{pidfd_.get(), POLLIN, 0};
  return !pidfd_ || (poll(&entry, 1, 0) == 1 && entry.revents != 0);
}

std::optional<ExitState> ChildProcess::PeekExit() {
  if (foreign_ && !HasForeignEnded()) return std::nullopt;
  siginfo_t info{};
  int result;
  do {
    result = pidfd_ ? pidfd::Wait(pidfd_.get(), &info, WEXITED | WNOHANG | WNOWAIT)
                    : waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  } while (result != 0 && errno == EINTR);
  if (result == 0) {
    if (info.si_pid == 0) return std::nullopt;
    return MakeExitState(info.si_code, info.si_status);
  }
  // ECHILD: someone in this process waited for "any child", or SIGCHLD is ignored. Linux 6.15 still tells the status.
  reaped_ = true;
  int status = 0;
  if (pidfd_ && pidfd::StatusAfterReap(pidfd_.get(), &status)) return FromWaitStatus(status);
  return ExitState();
}

std::optional<Usage> ChildProcess::Reap() {
  if (reaped_) return std::nullopt;
  rusage resources{};
  int status = 0;
  pid_t result;
  do {
    result = wait4(pid_, &status, WNOHANG, &resources);
  } while (result < 0 && errno == EINTR);
  if (result == 0) return std::nullopt;  // still running: the caller asked too early
  reaped_ = true;
  if (!group_outlives_reap()) pidfd_.Reset();
  if (result < 0) return std::nullopt;
  Usage usage;
  usage.user_ms = Milliseconds(resources.ru_utime);
  usage.system_ms = Milliseconds(resources.ru_stime);
  // A vfork'ed child starts with its parent's peak: a number not above that says nothing about the child.
  if (RssBytes(resources) > HostPeakRss()) usage.max_rss_bytes = RssBytes(resources);
  return usage;
}

int ChildProcess::SignalChild(int signal) {
  if (reaped_ || pid_ <= 0 || (foreign_ && !pidfd_)) return ESRCH;
  const int result = pidfd_ ? pidfd::Signal(pidfd_.get(), signal) : kill(pid_, signal);
  return result == 0 ? 0 : errno;
}

bool ChildProcess::group_outlives_reap() const { return leads_group_ && pidfd_ && HasGroupSignal(); }

int ChildProcess::SignalGroup(int signal) {
  if (pid_ <= 0) return ESRCH;
  if (!leads_group_) return SignalChild(signal);
  if (group_outlives_reap()) return pidfd::SignalGroup(pidfd_.get(), signal) == 0 ? 0 : errno;
  if (foreign_) return SignalChild(signal);
  // From here on the group is named by its number, which is ours only while the child is unreaped: by us, and by
  // anyone else in this process.
  if (!reaped_ && pidfd_) {
    siginfo_t info{};
    if (pidfd::Wait(pidfd_.get(), &info, WEXITED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD) reaped_ = true;
  }
  if (reaped_) return ESRCH;
  if (kill(-pid_, signal) == 0) return 0;
  const int error = errno;
#ifdef __APPLE__
  // XNU passes over zombies and says EPERM when nothing else is left (bsd/kern/kern_sig.c).
  if (error == EPERM && PeekExit()) return ESRCH;
#endif
  return error;
}

void WaitForExit(pid_t pid) {
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
}

}  // namespace argv_spawn
