#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <set>

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
  pid_t parent = 0;
};

// PF_EXITING (include/linux/sched.h). Set before the descriptors are closed (kernel/exit.c, do_exit): who has seen the
// end of a pipe may find the last holder here, past every system call and yet no zombie.
constexpr unsigned kExiting = 4;

// proc(5): "pid (comm) state ppid pgrp ..."; comm may hold blanks and parentheses, so its end is the last one.
std::optional<Stat> ReadStat(pid_t pid) {
  if (!CanSeeProcesses()) return std::nullopt;
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
  int parent = 0;
  unsigned flags = 0;
  int threads = 0;
  const int fields = std::sscanf(stop + 1, " %c %d %d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %d",
                                 &state, &parent, &group, &flags, &threads);
  if (fields != 5) return std::nullopt;
  Stat stat;
  stat.parent = parent;
  stat.group = group;
  stat.info.pid = pid;
  stat.info.name.assign(start + 1, stop);
  stat.info.dead = state == 'Z' || state == 'X' || (threads <= 1 && state != 'D' && (flags & kExiting) != 0);
  stat.info.uninterruptible = state == 'D';
  struct stat owner {};
  if (geteuid() != 0 && ::stat(folder.c_str(), &owner) == 0) stat.info.other_user = owner.st_uid != geteuid();
  return stat;
}

void ForEachProcess(const std::function<void(pid_t)>& visit) {
  if (!CanSeeProcesses()) return;
  Folder proc("/proc");
  while (const char* name = proc.Next()) {
    if (std::isdigit(static_cast<unsigned char>(name[0])) != 0) visit(std::atoi(name));
  }
}

std::optional<std::string> ReadAll(const std::string& path) {
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return std::nullopt;
  std::string text;
  std::array<char, 4096> block{};
  for (ssize_t size; (size = read(fd.get(), block.data(), block.size())) > 0;) {
    text.append(block.data(), static_cast<size_t>(size));
  }
  return text;
}

// The kernel's own list for each thread. False: this kernel has none (CONFIG_PROC_CHILDREN).
bool AddChildren(pid_t pid, std::vector<pid_t>& found) {
  const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
  Folder folder(tasks);
  bool any = false;
  while (const char* name = folder.Next()) {
    if (std::isdigit(static_cast<unsigned char>(name[0])) == 0) continue;
    const auto children = ReadAll(tasks + "/" + name + "/children");
    any = any || children;
    if (!children) continue;
    const char* at = children->c_str();
    for (char* end; const long child = std::strtol(at, &end, 10); at = end) found.push_back(static_cast<pid_t>(child));
  }
  return any;
}

// The same from the parent of every process there is.
void AddByParent(pid_t root, std::vector<pid_t>& found) {
  std::multimap<pid_t, pid_t> children;
  ForEachProcess([&](pid_t pid) {
    if (const auto stat = ReadStat(pid)) children.emplace(stat->parent, pid);
  });
  const auto add = [&](pid_t parent) {
    const auto [first, last] = children.equal_range(parent);
    for (auto at = first; at != last; ++at) found.push_back(at->second);
  };
  add(root);
  for (size_t i = 0; i < found.size(); i++) add(found[i]);
}

// Whether `entry`, a link in /proc/pid/fd, is one of `links` and may be written to: the link's own mode says so
// (proc(5)).
bool IsWriteEnd(const std::string& entry, const std::vector<std::string>& links) {
  std::array<char, 64> target{};
  if (readlink(entry.c_str(), target.data(), target.size() - 1) <= 0) return false;
  if (std::find(links.begin(), links.end(), target.data()) == links.end()) return false;
  struct stat info {};
  return lstat(entry.c_str(), &info) == 0 && (info.st_mode & S_IWUSR) != 0;
}

bool HoldsWriteEnd(pid_t pid, const std::vector<std::string>& links) {
  if (links.empty()) return false;
  const std::string path = "/proc/" + std::to_string(pid) + "/fd";
  // Where it nearly always is. A forced end asks this of everybody in the tree, and each question delays the end.
  if (IsWriteEnd(path + "/1", links) || IsWriteEnd(path + "/2", links)) return true;
  Folder folder(path);
  while (const char* name = folder.Next()) {
    if (IsWriteEnd(path + "/" + name, links)) return true;
  }
  return false;
}

// What /proc/pid/fd shows for the pipes: both ends have the same inode (proc(5)). The read end does not count as held:
// it is ours, and every child that any thread of this process has half started has a copy of it until it execs.
std::vector<std::string> PipeLinks(const std::vector<int>& fds) {
  std::vector<std::string> links;
  for (const int fd : fds) {
    struct stat info {};
    if (fstat(fd, &info) == 0) links.push_back("pipe:[" + std::to_string(info.st_ino) + "]");
  }
  return links;
}

}  // namespace

bool CanSeeProcesses() {
  static const bool can = [] {
    std::array<char, 16> target{};
    return readlink("/proc/self", target.data(), target.size() - 1) > 0 && std::atoi(target.data()) == getpid();
  }();
  return can;
}

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

std::vector<ProcessInfo> Descendants(pid_t root) {
  std::vector<pid_t> pids;
  if (AddChildren(root, pids)) {
    for (size_t i = 0; i < pids.size(); i++) AddChildren(pids[i], pids);
  } else {
    AddByParent(root, pids);
  }
  std::vector<ProcessInfo> found;
  // Twice in the list: handed to another parent while it was being made.
  std::set<pid_t> seen;
  for (const pid_t pid : pids) {
    if (!seen.insert(pid).second) continue;
    if (auto stat = ReadStat(pid)) found.push_back(std::move(stat->info));
  }
  return found;
}

bool HoldsPipeOf(pid_t pid, const std::vector<int>& fds) { return HoldsWriteEnd(pid, PipeLinks(fds)); }

std::vector<ProcessInfo> PipeHolders(const std::vector<int>& fds) {
  std::vector<ProcessInfo> holders;
  const std::vector<std::string> links = PipeLinks(fds);
  if (links.empty()) return holders;
  const pid_t self = getpid();
  ForEachProcess([&](pid_t pid) {
    if (pid == self || !HoldsWriteEnd(pid, links)) return;
    if (auto stat = ReadStat(pid)) holders.push_back(std::move(stat->info));
  });
  return holders;
}

}  // namespace argv_spawn
