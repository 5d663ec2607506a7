// A new process that becomes the keeper. Cheaper than posix_spawn, because the keeper itself puts signals in order, and
// than vfork, because the caller goes on at once: vfork would wake it in the middle of the exec, and where both share a
// processor it would go first.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace argv_spawn {

class KeeperExec {
 public:
  // `fds`: what becomes 0, 1, 2, ..., the last one the pipe for reports; each one kFirstFree or above. `cwd`: a folder,
  // or -1.
  KeeperExec(const std::string& path, const std::vector<int>& fds, int cwd);
  KeeperExec(const KeeperExec&) = delete;
  KeeperExec& operator=(const KeeperExec&) = delete;

  // 0, or the errno that no process could be made with. The process shares this memory until its exec: this object, its
  // strings and its `fds` have to stay until the pipe for reports has told something or has ended. A step that fails is
  // told there (Report::kKeeper).
  int Start(pid_t& pid);

 private:
  static void Become(void* self);

  const char* const path_;
  const std::vector<int>& fds_;
  const int cwd_;
  alignas(16) char stack_[8 * 1024];
};

}  // namespace argv_spawn
