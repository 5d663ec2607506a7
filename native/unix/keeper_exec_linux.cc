#include "unix/keeper_exec.h"

#include <pthread.h>
#include <signal.h>

#include <climits>

#include "keeper/protocol.h"
#include "kernel/call.h"

namespace argv_spawn {

namespace {

constexpr long kCloseRange = 436;  // Linux 5.9; the number is the same on every processor

bool IsError(long result) { return result < 0; }

}  // namespace

KeeperExec::KeeperExec(const std::string& path, const std::vector<int>& fds, int cwd)
    : path_(path.c_str()), fds_(fds), cwd_(cwd) {}

int KeeperExec::Start(pid_t& pid) {
  // A handler of the host must not run in the new process, which has the host's memory.
  sigset_t every;
  sigset_t before;
  sigfillset(&every);
  pthread_sigmask(SIG_SETMASK, &every, &before);
  const long made = CloneOnto(kernel::kShareMemory | kernel::kTellTheEnd, Become, this, stack_ + sizeof stack_);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (made < 0) return static_cast<int>(-made);
  pid = static_cast<pid_t>(made);
  return 0;
}

// Runs in the new process, at the same time as the thread that started it and with that thread's errno: system calls
// that do not touch it, and nothing a sanitizer would keep account of.
UNCHECKED void KeeperExec::Become(void* self) {
  using kernel::Call;
  const auto& exec = *static_cast<KeeperExec*>(self);
  const int* const fds = exec.fds_.data();
  const auto count = static_cast<long>(exec.fds_.size());
  long reports = fds[count - 1];
  long result = Call(__NR_setsid);
  if (!IsError(result) && exec.cwd_ >= 0) result = Call(__NR_fchdir, exec.cwd_);
  for (long i = 0; !IsError(result) && i < count; i++) result = Call(__NR_dup3, fds[i], i, 0);
  if (!IsError(result)) result = Call(kCloseRange, count, UINT_MAX, 0);
  if (!IsError(result)) {
    reports = count - 1;
    char name[] = "argv-keeper";
    char* const argv[] = {name, nullptr};
    char* const env[] = {nullptr};
    result = Call(__NR_execve, reinterpret_cast<long>(exec.path_), reinterpret_cast<long>(argv),
                  reinterpret_cast<long>(env));
  }
  keeper::Report report{};
  report.kind = keeper::Report::kFailed;
  report.stage = keeper::Report::kKeeper;
  report.error = static_cast<int>(-result);
  Call(__NR_write, reports, reinterpret_cast<long>(&report), sizeof report);
  for (;;) Call(__NR_exit_group, 127);
}

}  // namespace argv_spawn
