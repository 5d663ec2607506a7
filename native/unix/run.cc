#include "unix/run.h"

#include <algorithm>
#include <cerrno>
#include <shared_mutex>
#include <utility>

#include "core/clock.h"
#include "unix/child_process.h"
#include "unix/os_error.h"
#include "unix/tee.h"
#include "unix/threads.h"

namespace argv_spawn {

namespace {

constexpr uint64_t kTreePoll = 20'000'000;  // nanoseconds; see polls_tree_

}  // namespace

Run::Run(Request request, std::shared_ptr<Sink> sink, std::shared_ptr<RunLoop> loop)
    : RunBase(std::move(request), std::move(sink), std::move(loop)),
      service_(Service::Get()),
      input_pipe_(input_),
      output_pipe_(output_),
      error_pipe_(error_) {}

int Run::Signal(int signal, bool tree) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (state_ != State::kRunning) return -ESRCH;
  return tree ? -tree_->SignalAll(signal) : -tree_->SignalChild(signal);
}

// ---- starting: spawner thread, or the thread that asks ----

Result<Launched> Run::Begin() {
  std::shared_lock<std::shared_timed_mutex> gate(service_.start_gate());
  if (service_.is_closing()) return OsFailure(Stage::kSetup, "exit", "host", "", ECANCELED);
  Result<Launched> launched = Launch(request_);
  if (!launched.ok()) return launched;
  StampStart();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    tree_ = std::move(launched.value().tree);
    state_ = State::kRunning;
  }
  service_.AddLiving(*this);
  return launched;
}

void Run::PostAttach(Launched launched) {
  // Shared, as a std::function can be copied and descriptors cannot.
  auto shared = std::make_shared<Launched>(std::move(launched));
  PostToLoop([self = Self(), shared] { self->Attach(std::move(*shared)); });
}

void Run::Do() {
  if (!BeginStart()) return;
  Result<Launched> launched = Begin();
  if (launched.ok()) {
    PostAttach(std::move(launched.value()));
  } else if (!service_.is_closing()) {  // or nobody is left to be told
    PostFail(std::move(launched.failure()));
  }
}

Result<Started> Run::StartHere() {
  BeginStart();
  Result<Launched> launched = Begin();
  if (!launched.ok()) return std::move(launched.failure());
  Started started;
  started.run = shared_from_this();
  started.pid = tree_->pid();  // nobody else changes tree_ before Attach
  started.program = launched.value().program;
  if (request_.input.kind == StdinSpec::Kind::kHandOver) started.descriptors[0] = launched.value().input.Release();
  if (request_.output.kind == OutputSpec::Kind::kHandOver) started.descriptors[1] = launched.value().output.Release();
  if (request_.error.kind == OutputSpec::Kind::kHandOver) started.descriptors[2] = launched.value().error.Release();
  PostAttach(std::move(launched.value()));
  return started;
}

// ---- running: service thread ----

std::shared_ptr<TeeFile> Run::MakeTee(UniqueFd fd) {
  if (!fd) return nullptr;
  return std::make_shared<FdTeeFile>(std::move(fd), service_.tee_writers(), MakeTeeProgress());
}

void Run::Attach(Launched launched) {
  Enter(tree_->pid(), std::move(launched.program));
  output_pipe_.Open(std::move(launched.output), request_.output, MakeTee(std::move(launched.output_tee)));
  error_pipe_.Open(std::move(launched.error), request_.error, MakeTee(std::move(launched.error_tee)));
  UpdateReading(output_);
  UpdateReading(error_);
  if (launched.input) input_pipe_.Open(std::move(launched.input));
  BeginInput();
  WatchTree();
  FinishEnter();
}

void Run::LeaveToService() {
  if (!attached_) return;  // nothing was started, or all is over
  StopWatching(output_pipe_);
  StopWatching(error_pipe_);
  MoveTo(Service::Shared());
  PostToLoop([self = Self()] { self->Resume(); });
}

void Run::Resume() {
  if (!Arrive()) return;
  WatchTree();
  UpdateReading(output_);
  UpdateReading(error_);
  LookAtTree();
}

void Run::WatchTree() {
  polls_tree_ = false;
  if (tree_->Watch(loop().reactor(), TokenOf(Source::kTree)) == 0) return;
  const pid_t pid = tree_->waitable();
  polls_tree_ = pid == 0 || StartThread("argv-spawn-wait", [self = Self(), pid] {
                              WaitForExit(pid);
                              self->PostToLoop([self] { self->LookAtTree(); });
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

void Run::Look(uint64_t now) {
  if (polls_tree_ || tree_->look_again() != kNever) LookAtTree();
  for (OutputStream* stream : {&output_, &error_}) {
    if (!attached_) return;
    OutputPipe& pipe = PipeOf(*stream);
    if (pipe.rests_until() > now) continue;
    pipe.EndRest(now);
    OnOutput(*stream, false);
  }
}

uint64_t Run::NextLook() const {
  const uint64_t pause = polls_tree_ && !tree_->over() ? kTreePoll : tree_->look_again();
  const uint64_t at = pause == kNever ? kNever : NowNs() + pause;
  return std::min({at, output_pipe_.rests_until(), error_pipe_.rests_until()});
}

void Run::LookAtTree() {
  if (!attached_) return;
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
    if (ending_ == Ending::kReported) ReapLeader();  // given up long ago: only the reaping was left
    OnExit();
  } else if (tree_->over()) {
    OnTreeEmpty();
  }
  UpdateTimer();
}

}  // namespace argv_spawn
