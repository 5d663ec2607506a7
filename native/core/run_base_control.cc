// What may be asked of a run, from any thread: under its mutex, or handed to the service thread.
#include <memory>
#include <mutex>
#include <utility>

#include "core/run_base.h"

namespace argv_spawn {

size_t RunBase::Write(Bytes chunk) {
  size_t waiting;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (state_ == State::kEnded) return 0;
    input_waiting_ += chunk.size();
    waiting = input_waiting_;
  }
  auto shared = std::make_shared<Bytes>(std::move(chunk));
  loop_.Post([self = shared_from_this(), shared] {
    self->input_.Push(std::move(*shared));
    self->FlushInput();
  });
  return waiting;
}

void RunBase::EndInput() {
  loop_.Post([self = shared_from_this()] {
    self->input_.End();
    self->FlushInput();
  });
}

void RunBase::Credit(int stream, uint64_t bytes) {
  loop_.Post([self = shared_from_this(), stream, bytes] {
    OutputStream& output = stream == 1 ? self->output_ : self->error_;
    output.AddCredit(bytes);
    if (self->ending_ == Ending::kNo) self->UpdateReading(output);
  });
}

void RunBase::Stop(Cause cause) {
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
  loop_.Post([self = shared_from_this(), cause] { self->OnCause(cause); });
}

void RunBase::Abandon() {
  std::lock_guard<std::mutex> lock(mutex_);
  sink_.reset();
  if (state_ == State::kQueued) state_ = State::kEnded;
  if (state_ == State::kStarting) early_abandon_ = true;
  if (state_ != State::kRunning || request_.outlives_host) return;
  KillTree();
  loop_.Post([self = shared_from_this()] { self->OnCause(Cause::kStop); });
}

void RunBase::Fail(Failure failure) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (state_ == State::kEnded) return;
    state_ = State::kEnded;
  }
  Event event = MakeEvent(Event::Kind::kFailed);
  event.failure = std::make_unique<Failure>(std::move(failure));
  Send(std::move(event));
}

}  // namespace argv_spawn
