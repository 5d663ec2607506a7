#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "unix/fd.h"
#include "unix/process_table.h"

namespace argv_spawn {

namespace {

class Folder {
 public:
  explicit Folder(const std::string& path) : folder_(opendir(path.c_str())) {}
  ~Folder() {
    if (folder_ != nullptr) closedir(folder_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const char* Next() {
    if (folder_ == nullptr) return nullptr;
    const dirent* entry = readdir(folder_);
    return entry == nullptr ? nullptr : entry->d_name;
  }

 private:
  DIR* folder_;
};

struct Stat {
  ProcessInfo info;
  pid_t group = 0;
};

// proc(5): "pid (comm) state ppid pgrp ..."; comm may hold blanks and parentheses, so its end is the last one.
std::optional<Stat> ReadStat(pid_t pid) {
  const std::string folder = "/proc/" + std::to_string(pid);
  UniqueFd fd(open((folder + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 1024> text{};
  const ssize_t size = fd ? read(fd.get(), text.data(), text.size() - 1) : -1;
  if (size <= 0) return std::nullopt;
  const char* start = std::strchr(text.data(), '(');
  const char* stop = std::strrchr(text.data(), ')');
  if (start == nullptr || stop == nullptr || stop < start) return std::nullopt;
  char state = 0;
  int group = 0;
  if (std::sscanf(stop + 1, " %c %*d %d", &state, &group) != 2) return std::nullopt;
  Stat stat;
  stat.group = group;
  stat.info.pid = pid;
  stat.info.name.assign(start + 1, stop);
  stat.info.dead = state == 'Z' || state == 'X';
  stat.info.uninterruptible = state == 'D';
  struct stat owner {};
  if (geteuid() != 0 && ::stat(folder.c_str(), &owner) == 0) stat.info.other_user = owner.st_uid != geteuid();
  return stat;
}

void ForEachProcess(const std::function<void(pid_t)>& visit) {
  Folder proc("/proc");
  while (const char* name = proc.Next()) {
    if (std::isdigit(static_cast<unsigned char>(name[0])) != 0) visit(std::atoi(name));
  }
}

// Whether the descriptor behind `entry`, a link in /proc/pid/fd, may be written to: the link's own mode says so
// (proc(5)).
bool IsWritable(const std::string& entry) {
  struct stat info {};
  return lstat(entry.c_str(), &info) == 0 && (info.st_mode & S_IWUSR) != 0;
}

bool HoldsWriteEnd(pid_t pid, const std::string& link) {
  const std::string path = "/proc/" + std::to_string(pid) + "/fd";
  Folder folder(path);
  while (const char* name = folder.Next()) {
    const std::string entry = path + "/" + name;
    std::array<char, 64> target{};
    const ssize_t size = readlink(entry.c_str(), target.data(), target.size() - 1);
    if (size > 0 && link == target.data() && IsWritable(entry)) return true;
  }
  return false;
}

}  // namespace

std::optional<ProcessInfo> DescribeProcess(pid_t pid) {
  if (auto stat = ReadStat(pid)) return std::move(stat->info);
  return std::nullopt;
}

std::vector<ProcessInfo> GroupMembers(pid_t group) {
  std::vector<ProcessInfo> members;
  ForEachProcess([&](pid_t pid) {
    if (auto stat = ReadStat(pid); stat && stat->group == group) members.push_back(std::move(stat->info));
  });
  return members;
}

std::vector<ProcessInfo> PipeHolders(int fd) {
  std::vector<ProcessInfo> holders;
  struct stat info {};
  if (fstat(fd, &info) != 0) return holders;
  // Both ends of a pipe have the same inode (proc(5), /proc/pid/fd). The read end does not count: it is ours, and every
  // child that any thread of this process has half started has a copy of it until it execs.
  const std::string link = "pipe:[" + std::to_string(info.st_ino) + "]";
  const pid_t self = getpid();
  ForEachProcess([&](pid_t pid) {
    if (pid == self || !HoldsWriteEnd(pid, link)) return;
    if (auto stat = ReadStat(pid)) holders.push_back(std::move(stat->info));
  });
  return holders;
}

}  // namespace argv_spawn
