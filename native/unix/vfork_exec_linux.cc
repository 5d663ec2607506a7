#include "unix/vfork_exec.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdint>

#include "unix/descriptors.h"

namespace argv_spawn {

namespace {

constexpr long kCloseRange = 436;  // Linux 5.9; the number is the same on every processor

// What VforkSpawn does beyond VforkExec.
struct Thorough {
  std::vector<int> open;  // everything open here, for kernels without close_range
};

// A handler of the host must not run in the child, which shares this memory: the group of the host, which it is born
// in, may be sent a signal. By the system call, since the C library leaves two of its own out.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    const uint64_t every = UINT64_MAX;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &every, &before_, sizeof before_);
  }
  ~AllSignalsBlocked() { syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before_, nullptr, sizeof before_); }
  AllSignalsBlocked(const AllSignalsBlocked&) = delete;
  AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

 private:
  uint64_t before_ = 0;
};

// As the kernel has it: handler, flags, restorer and mask, all of them zero; the C library refuses two signals.
void ResetSignals() {
  constexpr int kLastSignal = 64;
  const unsigned long by_default[4] = {0, 0, 0, 0};
  for (int number = 1; number <= kLastSignal; number++) {
    syscall(SYS_rt_sigaction, number, by_default, nullptr, sizeof(unsigned long));
  }
}

// Runs in the child, which shares this memory until its exec: system calls only (vfork(2)).
int BecomeProgram(const SpawnCall& call, char* const* argv, char* const* env, const Thorough* thorough) {
  if (thorough != nullptr) ResetSignals();
  if (call.new_session && setsid() < 0) return errno;
  if (call.cwd >= 0 && fchdir(call.cwd) != 0) return errno;
  const auto count = static_cast<int>(call.fds.size());
  for (int i = 0; i < count; i++) {
    if (dup2(call.fds[static_cast<size_t>(i)], i) < 0) return errno;
  }
  if (syscall(kCloseRange, count, UINT_MAX, 0) != 0) {
    if (thorough == nullptr) return errno;
    for (const int fd : thorough->open) {
      if (fd >= count) close(fd);
    }
  }
  sigset_t none;
  sigemptyset(&none);
  if (sigprocmask(SIG_SETMASK, &none, nullptr) != 0) return errno;
  execve(call.path.c_str(), argv, env);
  return errno;
}

int Vfork(pid_t& pid, const SpawnCall& call, const std::vector<char*>& argv, const std::vector<char*>& env,
          const Thorough* thorough) {
  volatile int child_error = 0;
  const AllSignalsBlocked block;
  const pid_t child = vfork();
  if (child == 0) {
    child_error = BecomeProgram(call, argv.data(), env.data(), thorough);
    _exit(kNoExec);
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

}  // namespace

int VforkExec(pid_t& pid, const SpawnCall& call, const std::vector<char*>& argv, const std::vector<char*>& env) {
  return Vfork(pid, call, argv, env, nullptr);
}

int VforkSpawn(pid_t& pid, const SpawnCall& call, const std::vector<char*>& argv, const std::vector<char*>& env) {
  const Thorough thorough{OpenDescriptors()};
  return Vfork(pid, call, argv, env, &thorough);
}

}  // namespace argv_spawn
