#include "win/run.h"

#include <cerrno>
#include <utility>

#include "core/clock.h"
#include "win/tee.h"

namespace argv_spawn {

namespace {

constexpr uint64_t kExitPoll = 20'000'000;  // nanoseconds; see polls_exit_

ExitState FromExitCode(uint32_t code) {
  ExitState state;
  state.known = true;
  state.signalled = (code & 0xffffff00) == kEndedByUs;
  state.value = state.signalled ? code & 0xff : code;
  return state;
}

// The signals that mean "end" where there are signals; libuv takes the same ones.
bool EndsProcess(int signal) {
  constexpr int kHangup = 1;
  constexpr int kQuit = 3;
  constexpr int kTerminate = 15;
  constexpr int kBreak = 21;
  return signal == kHangup || signal == kInterrupt || signal == kQuit || signal == kKill || signal == kTerminate ||
         signal == kBreak;
}

}  // namespace

Run::Run(Request request, std::shared_ptr<Sink> sink)
    : RunBase(std::move(request), std::move(sink), Service::Shared()),
      service_(Service::Get()),
      input_pipe_(input_, *this),
      output_pipe_(output_, *this),
      error_pipe_(error_, *this) {}

int Run::Signal(int signal, bool tree) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (state_ != State::kRunning || (!tree && exit_seen_)) return -ESRCH;
  if (signal == 0) return 0;
  if (!EndsProcess(signal)) return -ENOSYS;
  return (tree ? EndTree(signal) : EndChild(signal)) == ERROR_SUCCESS ? 0 : -EPERM;
}

// ---- starting, pool thread ----

void Run::Start() {
  if (!BeginStart()) return;
  Result<Launched> launched = Launch(request_);
  if (!launched.ok()) {
    PostFail(std::move(launched.failure()));
    return;
  }
  StampStart();
  auto shared = std::make_shared<Launched>(std::move(launched.value()));
  {
    std::lock_guard<std::mutex> lock(mutex_);
    process_ = std::move(shared->process);
    pid_ = shared->pid;
    job_ = std::move(shared->job);
    state_ = State::kRunning;
  }
  service_.Post([self = Self(), shared] { self->Attach(std::move(*shared)); });
}

// ---- running, service thread ----

std::shared_ptr<TeeFile> Run::MakeTee(UniqueHandle file) {
  if (!file) return nullptr;
  return std::make_shared<HandleTeeFile>(std::move(file), MakeTeeProgress());
}

void Run::Attach(Launched launched) {
  Enter(static_cast<int>(pid_), std::move(launched.program));
  if (job_) job_.Watch(service_.port(), TokenOf(Source::kJob));
  OpenPipes(launched);
  polls_exit_ = !service_.WatchExit(TokenOf(Source::kExit), process_.get(), exit_wait_);
  FinishEnter();
}

void Run::Look(uint64_t) {
  if (polls_exit_ && !exit_seen_) OnExitSignalled();
}

uint64_t Run::NextLook() const { return polls_exit_ && !exit_seen_ ? NowNs() + kExitPoll : kNever; }

void Run::OnExitSignalled() {
  if (exit_seen_ || WaitForSingleObject(process_.get(), 0) != WAIT_OBJECT_0) return;
  DWORD code = 0;
  const BOOL known = GetExitCodeProcess(process_.get(), &code);
  if (exit_wait_ != nullptr) UnregisterWait(exit_wait_);
  exit_wait_ = nullptr;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (known != 0) exit_ = FromExitCode(code);
    exit_seen_ = true;
  }
  OnExit();
  UpdateTimer();
}

// The job's message may come before the exit of the direct child has been seen; then that brings the rest.
void Run::OnJobEmpty() {
  if (!exit_seen_) return;
  OnTreeEmpty();
  UpdateTimer();
}

}  // namespace argv_spawn
