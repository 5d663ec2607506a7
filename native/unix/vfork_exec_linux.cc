#include "unix/vfork_exec.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

namespace argv_spawn {

namespace {

constexpr long kCloseRange = 436;  // Linux 5.9; the number is the same on every processor

// Runs in the child, which shares this memory until its exec: system calls only (vfork(2)).
int BecomeProgram(const SpawnCall& call, char* const* argv, char* const* env) {
  if (call.new_session && setsid() < 0) return errno;
  if (call.cwd >= 0 && fchdir(call.cwd) != 0) return errno;
  const auto count = static_cast<int>(call.fds.size());
  for (int i = 0; i < count; i++) {
    if (dup2(call.fds[static_cast<size_t>(i)], i) < 0) return errno;
  }
  if (syscall(kCloseRange, count, UINT_MAX, 0) != 0) return errno;
  sigset_t none;
  sigemptyset(&none);
  if (sigprocmask(SIG_SETMASK, &none, nullptr) != 0) return errno;
  execve(call.path.c_str(), argv, env);
  return errno;
}

}  // namespace

int VforkExec(pid_t& pid, const SpawnCall& call, const std::vector<char*>& argv, const std::vector<char*>& env) {
  volatile int child_error = 0;
  const pid_t child = vfork();
  if (child == 0) {
    child_error = BecomeProgram(call, argv.data(), env.data());
    _exit(127);
  }
  if (child < 0) return errno;
  if (child_error != 0) {
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    return child_error;
  }
  pid = child;
  return 0;
}

}  // namespace argv_spawn
