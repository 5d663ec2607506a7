#include "unix/run.h"

#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <shared_mutex>
#include <utility>

#include "unix/child_process.h"
#include "core/clock.h"
#include "unix/os_error.h"
#include "unix/threads.h"

namespace argv_spawn {

namespace {

constexpr uint64_t kTreePoll = 20'000'000;  // nanoseconds; see polls_tree_

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

// ---- starting: spawner thread, or the thread that asks ----

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
  std::shared_lock<std::shared_timed_mutex> gate(service_.start_gate());
  if (service_.is_closing()) return;  // nobody is left to be told
  Result<Started> started = Begin(std::move(gate));
  if (!started.ok()) Fail(std::move(started.failure()));
}

Result<Started> Run::StartHere() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    state_ = State::kStarting;
  }
  std::shared_lock<std::shared_timed_mutex> gate(service_.start_gate());
  if (service_.is_closing()) return OsFailure(Stage::kSetup, "exit", "host", "", ECANCELED);
  return Begin(std::move(gate));
}

Result<Started> Run::Begin(std::shared_lock<std::shared_timed_mutex> gate) {
  Result<Launched> launched = Launch(request_);
  if (!launched.ok()) return std::move(launched.failure());
  started_ = NowNs();
  started_at_ms_ = WallClockMs();
  pid_t pid;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    tree_ = std::move(launched.value().tree);
    pid = tree_->pid();
    state_ = State::kRunning;
  }
  service_.AddLiving(*this);
  gate.unlock();
  Started started;
  started.run = shared_from_this();
  started.pid = pid;
  started.program = launched.value().program;
  if (request_.input.kind == StdinSpec::Kind::kHandOver) started.descriptors[0] = launched.value().input.Release();
  if (request_.output.kind == OutputSpec::Kind::kHandOver) started.descriptors[1] = launched.value().output.Release();
  if (request_.error.kind == OutputSpec::Kind::kHandOver) started.descriptors[2] = launched.value().error.Release();
  auto shared = std::make_shared<Launched>(std::move(launched.value()));
  service_.Post([self = shared_from_this(), shared] { self->Attach(std::move(*shared)); });
  return started;
}

// ---- running, service thread ----

std::shared_ptr<TeeFile> Run::MakeTee(UniqueFd fd) {
  if (!fd) return nullptr;
  std::weak_ptr<Run> weak = weak_from_this();
  return std::make_shared<TeeFile>(std::move(fd), [weak] {
    const std::shared_ptr<Run> run = weak.lock();
    if (!run) return;
    run->service_.Post([run] {
      if (run->ending_ == Ending::kFlushing) {
        run->FinishWhenFlushed();
      } else if (run->ending_ == Ending::kNo) {
        run->UpdateWatch(run->output_);
        run->UpdateWatch(run->error_);
      }
    });
  });
}

void Run::Attach(Launched launched) {
  service_.Attach(shared_from_this());
  program_ = std::move(launched.program);
  Event spawned = MakeEvent(Event::Kind::kSpawned);
  spawned.pid = tree_->pid();
  spawned.path = program_;
  Send(std::move(spawned), request_.progress);

  lifecycle_.OnSpawned(started_);
  output_.Open(std::move(launched.output), request_.output, MakeTee(std::move(launched.output_tee)),
               service_.tee_writer());
  error_.Open(std::move(launched.error), request_.error, MakeTee(std::move(launched.error_tee)), service_.tee_writer());
  UpdateWatch(output_);
  UpdateWatch(error_);
  if (launched.input) {
    input_.Open(std::move(launched.input));
    if (request_.input.kind == StdinSpec::Kind::kData) {
      input_.Push(std::move(request_.input.data));
      input_.End();
    }
    FlushInput();  // also what was queued while the program was being started
  } else {
    input_.Close();
  }
  request_.argv = std::string();
  request_.env = std::string();
  WatchTree();

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

void Run::WatchTree() {
  polls_tree_ = false;
  if (tree_->Watch(service_.reactor(), TokenOf(Source::kTree)) == 0) return;
  const pid_t pid = tree_->waitable();
  polls_tree_ = pid == 0 || StartThread("argv-spawn-wait", [self = shared_from_this(), pid] {
                              WaitForExit(pid);
                              self->service_.Post([self] { self->LookAtTree(); });
                            }) != 0;
}

void Run::OnReady(Source source, bool hangup) {
  switch (source) {
    case Source::kTree:
      LookAtTree();
      break;
    case Source::kStdin:
      OnInput(hangup);
      break;
    case Source::kStdout:
      OnOutput(output_, hangup);
      break;
    case Source::kStderr:
      OnOutput(error_, hangup);
      break;
  }
}

void Run::OnTime(uint64_t now) {
  if (polls_tree_ || tree_->look_again() != kNever) LookAtTree();
  for (OutputPipe* pipe : {&output_, &error_}) {
    if (detached_) return;
    if (pipe->rests_until() > now) continue;
    pipe->EndRest(now);
    OnOutput(*pipe, false);
  }
  if (detached_) return;
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
  const uint64_t pause = polls_tree_ && !tree_->over() ? kTreePoll : tree_->look_again();
  if (pause != kNever) at = std::min(at, NowNs() + pause);
  at = std::min({at, output_.rests_until(), error_.rests_until()});
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
    case Action::kPolite: {
      std::lock_guard<std::mutex> lock(mutex_);
      tree_->SignalAll(request_.kill_signal);
      return;
    }
    case Action::kForce:
      Force();
      return;
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

void Run::LookAtTree() {
  if (detached_) return;
  bool ended = false;
  bool replaced = false;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    tree_->Look();
    RecordEnded(tree_->TakeEnded());
    if (tree_->exit() && !exit_seen_) {
      exit_ = *tree_->exit();
      exit_seen_ = ended = true;
    }
    if (ending_ != Ending::kReported) {
      if (auto other = tree_->Replacement()) {
        if (exit_seen_) usage_ = tree_->Reap();
        tree_ = std::move(other);
        replaced = true;
      }
    }
  }
  if (replaced) WatchTree();
  if (ended) {
    OnExit();
  } else if (tree_->over()) {
    OnTreeOver();
  }
  UpdateTimer();
}

// What could hold a member of the tree has none left.
void Run::OnTreeOver() {
  switch (ending_) {
    case Ending::kNo:
      Perform(lifecycle_.OnMembers(false, NowNs()));
      break;
    case Ending::kVerifying:
      Verify();
      break;
    case Ending::kFlushing:
      break;
    case Ending::kReported:
      LeaveWhenDone();
      break;
  }
}

void Run::OnExit() {
  if (ending_ == Ending::kReported) {  // given up long ago: only the reaping was left
    ReapLeader();
    LeaveWhenDone();
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
}

}  // namespace argv_spawn
