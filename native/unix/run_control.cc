// What may be asked of a run, from any thread: under its mutex, or handed to the service thread.
#include <signal.h>

#include <cerrno>
#include <memory>
#include <mutex>
#include <utility>

#include "unix/run.h"

namespace argv_spawn {

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
    if (self->ending_ == Ending::kNo) self->UpdateWatch(pipe);
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
  if (state_ != State::kRunning) return -ESRCH;
  return tree ? -tree_->SignalAll(signal) : -tree_->SignalChild(signal);
}

void Run::Abandon() {
  std::lock_guard<std::mutex> lock(mutex_);
  sink_.reset();
  if (state_ == State::kQueued) state_ = State::kEnded;
  if (state_ == State::kStarting) early_abandon_ = true;
  if (state_ != State::kRunning || request_.outlives_host) return;
  tree_->SignalAll(SIGKILL);
  service_.Post([self = shared_from_this()] { self->OnCause(Cause::kStop); });
}

void Run::EndAtExit() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (state_ == State::kRunning && !request_.outlives_host) tree_->SignalAll(SIGKILL);
}

}  // namespace argv_spawn
