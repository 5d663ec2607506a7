// How a run is started, and how a start that is stuck is given up.
#include <memory>
#include <utility>

#include "core/clock.h"
#include "core/run_base.h"

namespace argv_spawn {

namespace {

Failure StartTimeout() {
  Failure failure;
  failure.stage = Stage::kSetup;
  failure.code = "ETIMEDOUT";
  failure.subject = "program";
  return failure;
}

}  // namespace

bool RunBase::BeginStart() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (state_ != State::kQueued) return false;
  state_ = State::kStarting;
  return true;
}

void RunBase::BoundStart() { GiveUpStartAt(asked_ + request_.timeout, Cause::kTimeout); }

void RunBase::OnStartLate() {
  if (request_.timeout == kNever) return;
  PostToLoop([self = shared_from_this()] { self->BoundStart(); });
}

void RunBase::GiveUpStartAt(uint64_t at, Cause cause) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (state_ != State::kQueued && state_ != State::kStarting) return;
  }
  AttachToLoop();
  if (at >= start_until_) return;
  start_until_ = at;
  start_cause_ = cause;
  loop_->SetTimer(*this, at);
}

void RunBase::GiveUpStart() {
  State before;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    before = state_;
    if (before == State::kQueued) state_ = State::kEnded;
    // The thread that is stuck cannot be called back. What it may start after all is ended at once.
    if (before == State::kStarting) {
      early_.clear();
      early_.emplace_back([this] { EndAtOnce(); });
    }
  }
  if (before == State::kRunning) return;  // there is a program, and Enter is on its way
  if (before != State::kEnded) {          // by a stop, which has been told
    if (start_cause_ == Cause::kTimeout) {
      Event event = MakeEvent(Event::Kind::kFailed);
      event.failure = std::make_unique<Failure>(StartTimeout());
      Send(std::move(event));
    } else {
      Send(MakeEvent(Event::Kind::kCancelled));
    }
  }
  if (before != State::kStarting) DetachFromLoop();
}

void RunBase::EndAtOnce() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    KillTree();
  }
  OnCause(Cause::kStop);
}

void RunBase::PostFail(Failure failure) {
  // Shared, as a std::function can be copied: the failure need not be.
  auto shared = std::make_shared<Failure>(std::move(failure));
  PostToLoop([self = shared_from_this(), shared] { self->Fail(std::move(*shared)); });
}

void RunBase::StampStart() {
  started_ = NowNs();
  started_at_ms_ = WallClockMs();
}

}  // namespace argv_spawn
