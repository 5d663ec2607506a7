#include "core/run_base.h"

#include <algorithm>
#include <utility>

#include "core/clock.h"

namespace argv_spawn {

RunBase::RunBase(Request request, std::shared_ptr<Sink> sink, std::shared_ptr<ServiceLoop> loop)
    : request_(std::move(request)),
      loop_(std::move(loop)),
      lifecycle_(PolicyOf(request_)),
      output_(1, *this),
      error_(2, *this),
      sink_(std::move(sink)),
      asked_(NowNs()) {}

Event RunBase::MakeEvent(Event::Kind kind) const {
  Event event;
  event.kind = kind;
  event.id = request_.id;
  return event;
}

void RunBase::Send(Event event, Wake wake) {
  std::shared_ptr<Sink> sink;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    sink = sink_;
    if (event.terminal()) sink_.reset();
  }
  if (!sink) return;
  sink->Post(std::move(event), wake == Wake::kNow);
  if (wake == Wake::kSoon) loop_->WakeSoon(std::move(sink));
}

void RunBase::AttachToLoop() {
  if (attached_) return;
  attached_ = true;
  loop_->Attach(shared_from_this());
}

void RunBase::DetachFromLoop() {
  if (!attached_) return;
  attached_ = false;
  loop_->Detach(*this);  // may be its end
}

void RunBase::PostToLoop(std::function<void()> task) {
  std::shared_ptr<ServiceLoop> loop;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    loop = loop_;
  }
  // Unlocked: the thread that wakes up would only wait for the lock. The loop may have retired by now, and has an heir.
  loop->Post(std::move(task));
}

// ---- running: service thread ----

void RunBase::Enter(int pid, std::string program) {
  AttachToLoop();
  program_ = std::move(program);
  Event spawned = MakeEvent(Event::Kind::kSpawned);
  spawned.pid = pid;
  spawned.path = program_;
  Send(std::move(spawned), !request_.progress ? Wake::kLater : loop_->ExpectsStarts() ? Wake::kSoon : Wake::kNow);
  lifecycle_.OnSpawned(started_);
  // Not by assignment, which may keep the block for later.
  std::string().swap(request_.argv);
  std::string().swap(request_.env);
}

void RunBase::BeginInput() {
  if (!input_.is_open()) {
    CloseInput();
    return;
  }
  if (request_.input.kind == StdinSpec::Kind::kData) {
    input_.Push(std::move(request_.input.data));
    input_.End();
  }
  FlushInput();
}

void RunBase::FinishEnter() {
  std::vector<std::function<void()>> early;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    entered_ = true;
    early.swap(early_);
  }
  for (auto& task : early) task();
  UpdateTimer();
}

void RunBase::OnTime(uint64_t now) {
  if (!entered_) {
    GiveUpStart();
    return;
  }
  Look(now);
  if (!attached_) return;
  switch (ending_) {
    case Ending::kNo:
      Perform(lifecycle_.OnTime(now));
      break;
    case Ending::kVerifying:
      VerifyTree();
      break;
    case Ending::kFlushing:
      ReportWhenFlushed();
      break;
    case Ending::kReported:
      break;
  }
  UpdateTimer();
}

void RunBase::UpdateTimer() {
  if (!attached_) return;
  const uint64_t at = ending_ == Ending::kNo ? lifecycle_.NextTime() : ending_next_;
  loop_->SetTimer(*this, std::min(at, NextLook()));
}

void RunBase::OnCause(Cause cause) {
  if (ending_ != Ending::kNo) return;
  Perform(lifecycle_.OnCause(cause, NowNs()));
  UpdateTimer();
}

void RunBase::Perform(Action action) {
  switch (action) {
    case Action::kNone:
      return;
    case Action::kPolite:
      AskToEnd();
      return;
    case Action::kForce:
      // Not allowed to end any of them: waiting would not change that.
      if (!ForceEnd()) GiveUp();
      return;
    case Action::kCheckMembers:
      Perform(lifecycle_.OnMembers(HasOthers(), NowNs()));
      return;
    case Action::kSweep:
      DrainOutputs();
      CloseInput();
      SweepTree();
      return;
    case Action::kGiveUp:
      GiveUp();
      return;
  }
}

void RunBase::OnExit() {
  if (ending_ == Ending::kReported) {  // given up long ago
    LeaveWhenDone();
    return;
  }
  ended_ = NowNs();
  // What the child wrote is in the pipes by the time its exit can be seen.
  DrainOutputs();
  if (request_.lingering != Lingering::kWait) CloseInput();
  Event event = MakeEvent(Event::Kind::kExit);
  event.exit = exit_;
  Send(std::move(event), request_.progress ? Wake::kNow : Wake::kLater);
  Perform(lifecycle_.OnLeaderEnded(ended_, AnyPipeOpen()));
}

void RunBase::OnTreeEmpty() {
  switch (ending_) {
    case Ending::kNo:
      Perform(lifecycle_.OnMembers(false, NowNs()));
      break;
    case Ending::kVerifying:
      VerifyTree();
      break;
    case Ending::kFlushing:
      break;
    case Ending::kReported:
      LeaveWhenDone();
      break;
  }
}

// ---- the streams ----

void RunBase::FlushInput() {
  if (!input_.is_open()) return;
  const InputState state = FeedInput();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    input_waiting_ = input_.waiting();
  }
  switch (state) {
    case InputState::kBlocked:
      return;
    case InputState::kIdle:
      if (input_.TakeDrained()) Send(MakeEvent(Event::Kind::kDrain));
      return;
    case InputState::kComplete:
      CloseInput();
      return;
    case InputState::kBroken:
      OnInputHangup();
      return;
  }
}

void RunBase::OnInputHangup() {
  CloseInput();
  Send(MakeEvent(Event::Kind::kStdinClosed), request_.progress ? Wake::kNow : Wake::kLater);
}

void RunBase::OnChunk(int stream, Bytes chunk) {
  Event event = MakeEvent(Event::Kind::kData);
  event.stream = stream;
  event.chunk = std::move(chunk);
  Send(std::move(event));
}

void RunBase::OnRead(OutputStream& stream, size_t bytes, bool at_end) {
  if (bytes > 0 && request_.idle_timeout != kNever && ending_ == Ending::kNo) {
    lifecycle_.OnOutput(NowNs());
    UpdateTimer();
  }
  if (!at_end) {
    UpdateReading(stream);
    if (stream.over_limit()) OnCause(Cause::kMaxBuffer);
    return;
  }
  AtEnd(stream);
  if (AnyPipeOpen()) return;
  if (ending_ == Ending::kReported) {  // a released tree has closed the last pipe
    LeaveWhenDone();
  } else if (ending_ == Ending::kNo) {
    Perform(lifecycle_.OnPipesClosed(NowNs()));
    UpdateTimer();
  }
}

void RunBase::DrainOutputs() {
  for (OutputStream* stream : {&output_, &error_}) {
    if (!stream->is_open()) continue;
    if (DrainPipe(*stream)) {
      AtEnd(*stream);
    } else {
      UpdateReading(*stream);
    }
  }
}

void RunBase::AtEnd(OutputStream& stream) {
  ClosePipe(stream);
  SendEnd(stream);
}

void RunBase::SendEnd(const OutputStream& stream) {
  if (!stream.streams()) return;
  Event event = MakeEvent(Event::Kind::kEnd);
  event.stream = stream.number();
  Send(std::move(event));
}

std::function<void()> RunBase::MakeTeeProgress() {
  return [weak = weak_from_this()] {
    const std::shared_ptr<RunBase> run = weak.lock();
    if (!run) return;
    run->PostToLoop([run] {
      if (run->ending_ == Ending::kFlushing) {
        run->ReportWhenFlushed();
      } else if (run->ending_ == Ending::kNo) {
        run->UpdateReading(run->output_);
        run->UpdateReading(run->error_);
      }
    });
  };
}

}  // namespace argv_spawn
