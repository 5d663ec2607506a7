#include "keeper/program.h"

#include "keeper/system.h"

namespace keeper {

namespace {

struct Attempt {
  const char* path;
  char** argv;
  char** envp;
  volatile int stage;  // written by the child, which shares our memory until its exec
  volatile int error;  // 0: exec succeeded
};

constexpr int kSignals = 64;

// A signal that is ignored here, as the host had it, would be ignored by what is started; handlers end with exec
// anyway. One by one: CLONE_CLEAR_SIGHAND leaves exactly the ignored ones (clone(2)).
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
    DefaultEverySignal();
    SetSignalMask(0);
    result = Call(__NR_execve, Address(attempt->path), Address(attempt->argv), Address(attempt->envp));
  }
  attempt->error = static_cast<int>(-result);
  Exit(127);
}

}  // namespace

int Program::Allocate(size_t size) {
  if (size <= kRoom) {
    block_ = room_ + (kRoom - size) / sizeof(char*) * sizeof(char*);  // its end, near what is in use already
    return 0;
  }
  const long address = Map(size);
  if (IsError(address)) return static_cast<int>(-address);
  block_ = reinterpret_cast<char*>(address);
  mapped_ = size;
  return 0;
}

int Program::Receive(const Start& start) {
  const size_t pointers = (size_t{start.argc} + start.envc + 2) * sizeof(char*);
  if (const int error = Allocate(pointers + start.size)) return error;
  char* const strings = block_ + pointers;
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
  Attempt attempt{path_, argv_, envp_, 0, 0};
  alignas(16) char stack[2048];  // the child is done with it when the call returns
  const long pid = CloneVfork(RunChild, &attempt, stack + sizeof stack);
  if (IsError(pid)) return {0, Report::kFork, static_cast<int>(-pid)};
  if (attempt.error == 0) return {static_cast<int>(pid), Report::kExec, 0};
  Wait(kOneChild, static_cast<int>(pid), nullptr, kExitedOnes, nullptr);
  return {0, static_cast<Report::Stage>(attempt.stage), attempt.error};
}

void Program::Forget() {
  if (mapped_ > 0) Unmap(reinterpret_cast<long>(block_), mapped_);
}

}  // namespace keeper
