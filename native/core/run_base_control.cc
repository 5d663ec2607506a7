// What may be asked of a run, from any thread: under its mutex, or handed to the service thread.
#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/clock.h"
#include "core/run_base.h"

namespace argv_spawn {

namespace {

// How long a start may go on at least once the run has been asked to end: nearly all are over by then.
constexpr uint64_t kShortestStart = 1'000'000'000;  // nanoseconds

}  // namespace

// Not before Enter: the run has no slot and no timer in the loop yet, and what was asked for first is to be done first.
template <typename Task>
void RunBase::Hand(Task task) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!entered_) {
      if (state_ != State::kEnded) early_.emplace_back(std::move(task));
      return;
    }
  }
  PostToLoop([self = shared_from_this(), task = std::move(task)] { task(); });
}

std::optional<size_t> RunBase::Write(const uint8_t* data, size_t size) {
  // Shared, as a std::function can be copied and blocks cannot.
  auto blocks = std::make_shared<std::vector<Bytes>>();
  if (!input_.blocks().Fill(data, size, *blocks)) return std::nullopt;
  size_t waiting;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (state_ == State::kEnded) return 0;
    input_waiting_ += size;
    waiting = input_waiting_;
  }
  Hand([this, blocks] {
    for (Bytes& block : *blocks) input_.Push(std::move(block));
    FlushInput();
  });
  return waiting;
}

void RunBase::EndInput() {
  Hand([this] {
    input_.End();
    FlushInput();
  });
}

void RunBase::Credit(int stream, uint64_t bytes) {
  Hand([this, stream, bytes] {
    OutputStream& output = stream == 1 ? output_ : error_;
    output.AddCredit(bytes);
    if (ending_ == Ending::kNo) UpdateReading(output);
  });
}

void RunBase::Stop(Cause cause) {
  bool starting;
  {
    std::unique_lock<std::mutex> lock(mutex_);
    if (state_ == State::kQueued) {
      state_ = State::kEnded;
      lock.unlock();
      Send(MakeEvent(Event::Kind::kCancelled));
      return;
    }
    if (state_ == State::kEnded) return;
    starting = state_ == State::kStarting;
  }
  Hand([this, cause] { OnCause(cause); });
  if (!starting || request_.force_kill_after == kNever) return;
  const uint64_t at = NowNs() + std::max(request_.force_kill_after, kShortestStart);
  PostToLoop([self = shared_from_this(), at, cause] { self->GiveUpStartAt(at, cause); });
}

void RunBase::Abandon() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    sink_.reset();
    if (state_ == State::kQueued) state_ = State::kEnded;
    if (state_ == State::kEnded || request_.outlives_host) return;
    if (state_ == State::kStarting) {
      early_.emplace_back([this] { Abandon(); });
      return;
    }
    KillTree();
  }
  Hand([this] { OnCause(Cause::kStop); });
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
  DetachFromLoop();
}

}  // namespace argv_spawn
