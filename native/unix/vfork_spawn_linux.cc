#include "unix/vfork_spawn.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

#include "unix/descriptors.h"

namespace argv_spawn {

namespace {

constexpr long kCloseRange = 436;  // Linux 5.9; the number is the same on every processor

// As the kernel has it: handler, flags, restorer and mask, all of them zero; the C library refuses two signals.
void ResetSignals() {
  constexpr int kLastSignal = 64;
  const unsigned long by_default[4] = {0, 0, 0, 0};
  for (int number = 1; number <= kLastSignal; number++) {
    syscall(SYS_rt_sigaction, number, by_default, nullptr, sizeof(unsigned long));
  }
}

// Runs in the child, which shares this memory until its exec: system calls only (vfork(2)).
int BecomeProgram(const SpawnCall& call, char* const* argv, char* const* env, const std::vector<int>& open) {
  ResetSignals();
  if (call.new_session && setsid() < 0) return errno;
  if (call.cwd >= 0 && fchdir(call.cwd) != 0) return errno;
  const auto count = static_cast<int>(call.fds.size());
  for (int i = 0; i < count; i++) {
    if (dup2(call.fds[static_cast<size_t>(i)], i) < 0) return errno;
  }
  if (syscall(kCloseRange, count, UINT_MAX, 0) != 0) {
    for (const int fd : open) {  // a kernel without close_range
      if (fd >= count) close(fd);
    }
  }
  sigset_t none;
  sigemptyset(&none);
  if (sigprocmask(SIG_SETMASK, &none, nullptr) != 0) return errno;
  execve(call.path.c_str(), argv, env);
  return errno;
}

}  // namespace

int VforkSpawn(pid_t& pid, const SpawnCall& call, const std::vector<char*>& argv, const std::vector<char*>& env) {
  const std::vector<int> open = OpenDescriptors();
  sigset_t every;
  sigset_t before;
  sigfillset(&every);
  pthread_sigmask(SIG_SETMASK, &every, &before);
  volatile int child_error = 0;
  const pid_t child = vfork();
  if (child == 0) {
    child_error = BecomeProgram(call, argv.data(), env.data(), open);
    _exit(kNoExec);
  }
  const int error = child < 0 ? errno : 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error != 0) return error;
  if (child_error != 0) {
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    return child_error;
  }
  pid = child;
  return 0;
}

}  // namespace argv_spawn
