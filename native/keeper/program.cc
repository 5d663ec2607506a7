#include "keeper/program.h"

#include "keeper/system.h"

namespace keeper {

namespace {

struct Attempt {
  const char* path;
  char** argv;
  char** envp;
  bool signals_are_default;
  volatile int stage;  // written by the child, which shares our memory until its exec
  volatile int error;  // 0: exec succeeded
};

constexpr int kSignals = 64;

// Signals that this process ignores are ignored by what it starts; handlers end with exec.
void DefaultEverySignal() {
  for (int signal = 1; signal <= kSignals; signal++) SetDefault(signal);
}

// Runs in the child. Only system calls: the memory is the keeper's.
void RunChild(void* argument) {
  auto* attempt = static_cast<Attempt*>(argument);
  attempt->stage = Report::kSession;
  long result = Call(__NR_setsid);
  if (!IsError(result)) {
    attempt->stage = Report::kExec;
    if (!attempt->signals_are_default) DefaultEverySignal();
    SetSignalMask(0);
    result = Call(__NR_execve, Address(attempt->path), Address(attempt->argv), Address(attempt->envp));
  }
  attempt->error = static_cast<int>(-result);
  Exit(127);
}

// struct clone_args, first published size (Linux 5.3).
struct CloneArguments {
  uint64_t flags;
  uint64_t pidfd;
  uint64_t child_tid;
  uint64_t parent_tid;
  uint64_t exit_signal;
  uint64_t stack;
  uint64_t stack_size;
  uint64_t tls;
};

// With every signal at its default at once where the kernel can (Linux 5.5) and no filter is in the way; one by one
// otherwise.
long CloneChild(Attempt& attempt) {
  constexpr uint64_t kFlags = 0x100 | 0x4000 | uint64_t{1} << 32;  // CLONE_VM, CLONE_VFORK, CLONE_CLEAR_SIGHAND
  alignas(16) char stack[2048];                                    // the child ends with it before we go on
  CloneArguments arguments{};
  arguments.flags = kFlags;
  arguments.exit_signal = kSigChld;
  arguments.stack = static_cast<uint64_t>(Address(stack));
  arguments.stack_size = sizeof stack;
  attempt.signals_are_default = true;
  const long pid = Clone3Vfork(RunChild, &attempt, &arguments, sizeof arguments);
  if (pid != -ENOSYS && pid != -EINVAL && pid != -EPERM) return pid;
  attempt.signals_are_default = false;
  return CloneVfork(RunChild, &attempt, stack + sizeof stack);
}

}  // namespace

int Program::Receive(const Start& start) {
  const size_t pointers = (size_t{start.argc} + start.envc + 2) * sizeof(char*);
  block_size_ = pointers + start.size;
  block_ = Map(block_size_);
  if (IsError(block_)) return static_cast<int>(-block_);
  auto* strings = reinterpret_cast<char*>(block_ + static_cast<long>(pointers));
  for (size_t have = 0; have < start.size;) {
    const long count = Read(kCommandFd, strings + have, start.size - have);
    if (count == -EINTR) continue;
    if (count <= 0) return count == 0 ? EPIPE : static_cast<int>(-count);
    have += static_cast<size_t>(count);
  }
  const char* end = strings + start.size;
  const auto skip = [&](char* at) {
    while (at < end && *at != 0) at++;
    return at + 1;
  };
  path_ = strings;
  argv_ = reinterpret_cast<char**>(block_);
  envp_ = argv_ + start.argc + 1;
  char* at = skip(path_);
  for (uint32_t i = 0; i < start.argc; i++, at = skip(at)) argv_[i] = at;
  for (uint32_t i = 0; i < start.envc; i++, at = skip(at)) envp_[i] = at;
  return at == end ? 0 : EINVAL;
}

Program::Outcome Program::Execute() {
  Attempt attempt{path_, argv_, envp_, false, 0, 0};
  const long pid = CloneChild(attempt);
  if (IsError(pid)) return {0, Report::kFork, static_cast<int>(-pid)};
  if (attempt.error == 0) return {static_cast<int>(pid), Report::kExec, 0};
  Wait(kOneChild, static_cast<int>(pid), nullptr, kExitedOnes, nullptr);
  return {0, static_cast<Report::Stage>(attempt.stage), attempt.error};
}

void Program::Forget() { Unmap(block_, block_size_); }

}  // namespace keeper
