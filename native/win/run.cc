#include "win/run.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "core/clock.h"
#include "win/os_error.h"

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

LifecyclePolicy PolicyOf(const Request& request) {
  LifecyclePolicy policy;
  policy.timeout = request.timeout;
  policy.idle_timeout = request.idle_timeout;
  policy.grace = request.force_kill_after;
  policy.drain = request.drain_timeout;
  policy.lingering = request.lingering;
  return policy;
}

}  // namespace

Run::Run(Request request, std::shared_ptr<Sink> sink)
    : request_(std::move(request)),
      service_(Service::Get()),
      lifecycle_(PolicyOf(request_)),
      sink_(std::move(sink)),
      input_(*this),
      output_(1, *this),
      error_(2, *this) {}

Event Run::MakeEvent(Event::Kind kind) const {
  Event event;
  event.kind = kind;
  event.id = request_.id;
  return event;
}

void Run::Send(Event event, bool wake) {
  std::shared_ptr<Sink> sink;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    sink = sink_;
    if (event.terminal()) sink_.reset();
  }
  if (sink) sink->Post(std::move(event), wake);
}

// ---- asking, any thread ----

size_t Run::Write(Bytes chunk) {
  size_t waiting;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (state_ == State::kEnded) return 0;
    input_waiting_ += chunk.size();
    waiting = input_waiting_;
  }
  auto shared = std::make_shared<Bytes>(std::move(chunk));
  service_.Post([self = shared_from_this(), shared] {
    self->input_.Push(std::move(*shared));
    self->FlushInput();
  });
  return waiting;
}

void Run::EndInput() {
  service_.Post([self = shared_from_this()] {
    self->input_.End();
    self->FlushInput();
  });
}

void Run::Credit(int stream, uint64_t bytes) {
  service_.Post([self = shared_from_this(), stream, bytes] {
    OutputPipe& pipe = stream == 1 ? self->output_ : self->error_;
    pipe.AddCredit(bytes);
    if (self->ending_ == Ending::kNo) self->PumpOutput(pipe);
  });
}

void Run::Stop(Cause cause) {
  {
    std::unique_lock<std::mutex> lock(mutex_);
    if (state_ == State::kStarting && early_cause_ == Cause::kNone) early_cause_ = cause;
    if (state_ == State::kQueued) {
      state_ = State::kEnded;
      lock.unlock();
      Send(MakeEvent(Event::Kind::kCancelled));
      return;
    }
    if (state_ != State::kRunning) return;
  }
  service_.Post([self = shared_from_this(), cause] { self->OnCause(cause); });
}

int Run::Signal(int signal, bool tree) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (state_ != State::kRunning || (!tree && exit_seen_)) return -ESRCH;
  if (signal == 0) return 0;
  if (!EndsProcess(signal)) return -ENOSYS;
  return (tree ? EndTree(signal) : EndChild(signal)) == ERROR_SUCCESS ? 0 : -EPERM;
}

void Run::Abandon() {
  std::lock_guard<std::mutex> lock(mutex_);
  sink_.reset();
  if (state_ == State::kQueued) state_ = State::kEnded;
  if (state_ == State::kStarting) early_abandon_ = true;
  if (state_ != State::kRunning) return;
  EndTree(kKill);
  service_.Post([self = shared_from_this()] { self->OnCause(Cause::kStop); });
}

// ---- starting, pool thread ----

void Run::Fail(Failure failure) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (state_ == State::kEnded) return;
    state_ = State::kEnded;
  }
  Event event = MakeEvent(Event::Kind::kFailed);
  event.failure = std::make_unique<Failure>(std::move(failure));
  Send(std::move(event));
}

void Run::Start() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (state_ != State::kQueued) return;
    state_ = State::kStarting;
  }
  Result<Launched> launched = Launch(request_);
  if (!launched.ok()) {
    Fail(std::move(launched.failure()));
    return;
  }
  started_ = NowNs();
  started_at_ms_ = WallClockMs();
  auto shared = std::make_shared<Launched>(std::move(launched.value()));
  {
    std::lock_guard<std::mutex> lock(mutex_);
    process_ = std::move(shared->process);
    pid_ = shared->pid;
    job_ = std::move(shared->job);
    state_ = State::kRunning;
  }
  service_.Post([self = shared_from_this(), shared] { self->Attach(std::move(*shared)); });
}

// ---- running, service thread ----

std::shared_ptr<TeeFile> Run::MakeTee(UniqueHandle file) {
  if (!file) return nullptr;
  std::weak_ptr<Run> weak = weak_from_this();
  return std::make_shared<TeeFile>(std::move(file), [weak] {
    const std::shared_ptr<Run> run = weak.lock();
    if (!run) return;
    run->service_.Post([run] {
      if (run->ending_ == Ending::kFlushing) {
        run->FinishWhenFlushed();
      } else if (run->ending_ == Ending::kNo) {
        run->PumpOutput(run->output_);
        run->PumpOutput(run->error_);
      }
    });
  });
}

void Run::Attach(Launched launched) {
  service_.Attach(shared_from_this());
  program_ = std::move(launched.program);
  Event spawned = MakeEvent(Event::Kind::kSpawned);
  spawned.pid = static_cast<int>(pid_);
  spawned.path = program_;
  Send(std::move(spawned), request_.progress);

  lifecycle_.OnSpawned(started_);
  if (job_) job_.Watch(service_.port(), TokenOf(Source::kJob));
  OpenPipes(launched);
  request_.argv = std::string();
  request_.env = std::string();
  polls_exit_ = !service_.WatchExit(TokenOf(Source::kExit), process_.get(), exit_wait_);

  Cause cause;
  bool abandon;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    cause = early_cause_;
    abandon = early_abandon_;
  }
  if (abandon) Abandon();
  if (cause != Cause::kNone) OnCause(cause);
  UpdateTimer();
}

void Run::OnTime(uint64_t now) {
  if (polls_exit_ && !exit_seen_) OnExit();
  switch (ending_) {
    case Ending::kNo:
      Perform(lifecycle_.OnTime(now));
      break;
    case Ending::kVerifying:
      Verify();
      break;
    case Ending::kFlushing:
      FinishWhenFlushed();
      break;
    case Ending::kReported:
      break;
  }
  UpdateTimer();
}

void Run::UpdateTimer() {
  if (detached_) return;
  uint64_t at = ending_ == Ending::kNo ? lifecycle_.NextTime() : ending_next_;
  if (polls_exit_ && !exit_seen_) at = std::min(at, NowNs() + kExitPoll);
  service_.SetTimer(*this, at);
}

void Run::OnCause(Cause cause) {
  if (ending_ != Ending::kNo) return;
  Perform(lifecycle_.OnCause(cause, NowNs()));
  UpdateTimer();
}

void Run::Perform(Action action) {
  switch (action) {
    case Action::kNone:
      return;
    case Action::kPolite:
      AskToEnd();
      return;
    case Action::kForce: {
      DWORD error;
      {
        std::lock_guard<std::mutex> lock(mutex_);
        error = EndTree(kKill);
      }
      // Not allowed to end it: waiting would not change that.
      if (error == ERROR_ACCESS_DENIED && WaitForSingleObject(process_.get(), 0) == WAIT_TIMEOUT) GiveUp();
      return;
    }
    case Action::kCheckMembers:
      CheckMembers();
      return;
    case Action::kSweep:
      Sweep();
      return;
    case Action::kGiveUp:
      GiveUp();
      return;
  }
}

void Run::OnExit() {
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
  if (ending_ == Ending::kReported) {  // given up long ago
    LeaveService();
    return;
  }
  ended_ = NowNs();
  // What the child wrote is in the pipes by the time its exit can be seen.
  Drain(output_);
  Drain(error_);
  if (request_.lingering != Lingering::kWait) CloseInput();
  Event event = MakeEvent(Event::Kind::kExit);
  event.exit = exit_;
  Send(std::move(event), request_.progress);
  Perform(lifecycle_.OnLeaderEnded(ended_, AnyPipeOpen()));
  UpdateTimer();
}

void Run::OnJobEmpty() {
  if (ending_ == Ending::kVerifying) {
    Verify();
  } else if (ending_ == Ending::kNo && exit_seen_) {
    CheckMembers();
  }
  UpdateTimer();
}

}  // namespace argv_spawn
