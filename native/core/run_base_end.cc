// How a run is reported, once its tree has been dealt with.
#include <algorithm>
#include <utility>

#include "core/clock.h"
#include "core/run_base.h"

namespace argv_spawn {

namespace {

constexpr uint64_t kMillisecond = 1'000'000;
// How long members may take to disappear after SIGKILL before they are reported as survivors.
constexpr uint64_t kVerifyBound = 1000 * kMillisecond;
constexpr uint64_t kFirstVerifySpan = kMillisecond;
constexpr uint64_t kLongestVerifySpan = 20 * kMillisecond;
// How long a tee file may take to be written after the run is over.
constexpr uint64_t kFlushBound = 1000 * kMillisecond;

}  // namespace

void RunBase::Record(Leftover leftover) {
  const auto at =
      std::find_if(leftovers_.begin(), leftovers_.end(), [&](const Leftover& one) { return one.pid == leftover.pid; });
  if (at == leftovers_.end()) {
    leftovers_.push_back(std::move(leftover));
    return;
  }
  if (!leftover.name.empty()) at->name = std::move(leftover.name);
  at->held_pipe = at->held_pipe || leftover.held_pipe;
  at->fate = leftover.fate;
  at->why = leftover.why;
}

void RunBase::BeginVerifying() {
  ending_ = Ending::kVerifying;
  const uint64_t now = NowNs();
  ending_until_ = now + kVerifyBound;
  verify_span_ = kFirstVerifySpan;
  ending_next_ = now + verify_span_;
}

void RunBase::VerifyAgain(uint64_t now) {
  verify_span_ = std::min(verify_span_ * 2, kLongestVerifySpan);
  ending_next_ = now + verify_span_;
}

// SIGKILL did not end the direct child, or was not allowed: say who is there and let go. The watch for its exit stays.
void RunBase::GiveUp() {
  ended_ = NowNs();
  RecordUnended();
  DrainOutputs();
  BeginReport();
}

void RunBase::BeginReport() {
  ending_ = Ending::kFlushing;
  ending_until_ = ending_next_ = NowNs() + kFlushBound;
  ReportWhenFlushed();
}

void RunBase::ReportWhenFlushed() {
  if ((output_.has_tee_waiting() || error_.has_tee_waiting()) && NowNs() < ending_until_) return;
  Report();
}

void RunBase::Report() {
  ending_ = Ending::kReported;
  ending_next_ = kNever;
  CloseInput();
  auto outcome = std::make_unique<Outcome>();
  outcome->output = output_.TakeCapture();
  outcome->error = error_.TakeCapture();
  for (OutputStream* stream : {&output_, &error_}) {
    if (!stream->is_open()) continue;
    if (!released_) {
      AtEnd(*stream);
      continue;
    }
    // A process that was left behind must not die of a pipe that nobody reads.
    SendEnd(*stream);
    stream->Discard();
    UpdateReading(*stream);
  }
  outcome->program = program_;
  outcome->cause = lifecycle_.cause();
  outcome->exit = exit_;
  outcome->forced = lifecycle_.forced();
  outcome->stdin_bytes = input_.written();
  outcome->stdin_closed_early = input_.closed_early();
  outcome->leftovers = std::move(leftovers_);
  outcome->started_at_ms = started_at_ms_;
  outcome->duration_ms = static_cast<double>(ended_ - started_) / 1e6;
  Describe(*outcome);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    state_ = State::kEnded;
  }
  OnReported();
  Event event = MakeEvent(Event::Kind::kFinished);
  event.outcome = std::move(outcome);
  Send(std::move(event));
  LeaveWhenDone();
}

void RunBase::LeaveWhenDone() {
  if (!attached_ || !is_over() || AnyPipeOpen()) return;
  OnLeaving();
  DetachFromLoop();
}

void RunBase::MoveTo(std::shared_ptr<ServiceLoop> loop) {
  const std::shared_ptr<RunBase> self = shared_from_this();  // the loop may be the last other owner
  DetachFromLoop();
  std::lock_guard<std::mutex> lock(mutex_);
  loop_ = std::move(loop);
}

bool RunBase::Arrive() {
  if (!entered_ || attached_) return false;
  AttachToLoop();
  return true;
}

}  // namespace argv_spawn
