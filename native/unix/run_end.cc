// How a run ends: who is still there, end or release them, verify, wait for tee files, report.
//
// The direct child has ended when Sweep begins. What remains of its tree is found before anything is signalled, so that
// the report has names and not only numbers.
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "core/clock.h"
#include "unix/run.h"

namespace argv_spawn {

namespace {

constexpr uint64_t kMillisecond = 1'000'000;
// How long members may take to disappear after SIGKILL before they are reported as survivors.
constexpr uint64_t kVerifyBound = 1000 * kMillisecond;
constexpr uint64_t kLongestVerifySpan = 20 * kMillisecond;
// How long a tee file may take to be written after the run is over.
constexpr uint64_t kFlushBound = 1000 * kMillisecond;

const char* WhyAlive(const ProcessInfo& process) {
  if (process.other_user) return "other-user";
  return process.uninterruptible ? "uninterruptible" : "refused";
}

bool Contains(const std::vector<ProcessInfo>& processes, pid_t pid) {
  return std::any_of(processes.begin(), processes.end(), [pid](const ProcessInfo& one) { return one.pid == pid; });
}

}  // namespace

std::vector<int> Run::OpenPipes() const {
  std::vector<int> fds;
  for (const OutputPipe* pipe : {&output_, &error_}) {
    if (pipe->is_open()) fds.push_back(pipe->fd());
  }
  return fds;
}

// A later record of the same process replaces what became of it.
void Run::Record(const ProcessInfo& process, bool held_pipe, const char* fate, const char* why) {
  auto at =
      std::find_if(leftovers_.begin(), leftovers_.end(), [&](const Leftover& one) { return one.pid == process.pid; });
  if (at == leftovers_.end()) at = leftovers_.emplace(leftovers_.end());
  at->pid = process.pid;
  at->name = process.name;
  at->held_pipe = at->held_pipe || held_pipe;
  at->fate = fate;
  at->why = why;
}

void Run::ReapLeader() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (auto usage = tree_->Reap()) usage_ = usage;
}

// The last step of the ladder while the direct child runs. Its exit, or the bound on it, brings the rest.
void Run::Force() {
  if (tree_->strength() != TreeStrength::kNone && !tree_->reports_its_end()) {
    const std::vector<int> pipes = OpenPipes();
    for (const ProcessInfo& other : tree_->Others()) Record(other, HoldsPipeOf(other.pid, pipes), "ended", "");
  }
  int error;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    error = tree_->SignalAll(SIGKILL);
  }
  // Not allowed to signal any of them: waiting would not change that.
  if (error == EPERM) GiveUp();
}

void Run::RecordEnded(const std::vector<EndedProcess>& ended) {
  for (const EndedProcess& one : ended) {
    const bool held = ((one.held & 1) != 0 && output_.opened()) || ((one.held & 2) != 0 && error_.opened());
    Record(one.info, held, "ended", "");
  }
}

// While a ladder runs and the leader has ended: is anyone else still winding down?
void Run::CheckMembers() { Perform(lifecycle_.OnMembers(!tree_->Others().empty(), NowNs())); }

void Run::Sweep() {
  Drain(output_);
  Drain(error_);
  CloseInput();
  bool certainly_alone;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    certainly_alone = tree_->IsCertainlyAlone();
  }
  const bool leaves = lifecycle_.releases_members();
  const bool contained = tree_->strength() != TreeStrength::kNone;
  const bool asks = !certainly_alone && (leaves || !tree_->reports_its_end());
  const std::vector<ProcessInfo> others = asks ? tree_->Others() : std::vector<ProcessInfo>();
  released_ = leaves || !contained;
  const std::vector<int> pipes = OpenPipes();
  for (const ProcessInfo& other : others) {
    const bool holds = HoldsPipeOf(other.pid, pipes);
    if (leaves) {
      Record(other, holds, "left", "");
    } else if (contained) {
      Record(other, holds, "ended", "");
    } else {
      Record(other, holds, "survived", tree_->why_outside());
    }
  }
  if (!certainly_alone) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (leaves) {
      tree_->Release();
    } else if (contained) {
      tree_->End();
    }
  }
  ReapLeader();
  if (released_ || certainly_alone || (others.empty() && !tree_->reports_its_end())) {
    RecordOutsiders(others);
    FinishWhenFlushed();
    return;
  }
  ending_ = Ending::kVerifying;
  ending_until_ = NowNs() + kVerifyBound;
  verify_span_ = kMillisecond;
  ending_next_ = NowNs() + verify_span_;
}

// After SIGKILL: until nobody of the tree is alive, or the bound has passed. Signals nothing.
void Run::Verify() {
  const uint64_t now = NowNs();
  const bool in_time = now < ending_until_;
  std::vector<ProcessInfo> alive;
  if (!tree_->reports_its_end() || !in_time) alive = tree_->Others();
  if (in_time && (tree_->reports_its_end() ? !tree_->over() : !alive.empty())) {
    verify_span_ = std::min(verify_span_ * 2, kLongestVerifySpan);
    ending_next_ = now + verify_span_;
    return;
  }
  for (const ProcessInfo& survivor : alive) Record(survivor, false, "survived", WhyAlive(survivor));
  Drain(output_);
  Drain(error_);
  RecordOutsiders(alive);
  FinishWhenFlushed();
}

// Who still holds a pipe and is none of `members`. The tree has ended, or is left alone: an open pipe is rare now,
// which is why so dear a question is asked here and not before.
void Run::RecordOutsiders(const std::vector<ProcessInfo>& members) {
  const std::vector<int> pipes = OpenPipes();
  if (pipes.empty()) return;
  const bool leaves = lifecycle_.releases_members();
  for (const ProcessInfo& holder : PipeHolders(pipes)) {
    if (holder.dead || holder.pid == tree_->pid() || Contains(members, holder.pid)) continue;
    Record(holder, true, leaves ? "left" : "survived", leaves ? "" : tree_->why_outside());
  }
}

// SIGKILL did not end the leader, or was not allowed: say who is there and let go. The watch for its exit stays, so
// that it is reaped whenever it does end.
void Run::GiveUp() {
  ended_ = NowNs();
  if (const auto leader = DescribeProcess(tree_->pid())) Record(*leader, false, "survived", WhyAlive(*leader));
  for (const ProcessInfo& other : tree_->Others()) Record(other, false, "survived", WhyAlive(other));
  Drain(output_);
  Drain(error_);
  FinishWhenFlushed();
}

void Run::FinishWhenFlushed() {
  const uint64_t now = NowNs();
  if (ending_ != Ending::kFlushing) ending_until_ = now + kFlushBound;
  ending_ = Ending::kFlushing;
  ending_next_ = ending_until_;
  const auto waiting = [](const OutputPipe& pipe) { return pipe.tee() && pipe.tee()->waiting() > 0; };
  if ((waiting(output_) || waiting(error_)) && now < ending_until_) return;
  Finish();
}

void Run::Finish() {
  ending_ = Ending::kReported;
  ending_next_ = kNever;
  CloseInput();
  auto outcome = std::make_unique<Outcome>();
  for (OutputPipe* pipe : {&output_, &error_}) {
    std::optional<Capture> capture = pipe->TakeCapture();
    if (capture && capture->tee && pipe->tee()->waiting() > 0) capture->tee->error = "ETIMEDOUT";
    (pipe == &output_ ? outcome->output : outcome->error) = std::move(capture);
    if (!pipe->is_open()) continue;
    if (pipe->streams()) {
      Event event = MakeEvent(Event::Kind::kEnd);
      event.stream = pipe == &output_ ? 1 : 2;
      Send(std::move(event));
    }
    if (released_) {
      // A process that was left behind must not die of a pipe that nobody reads.
      pipe->Discard();
      UpdateWatch(*pipe);
    } else {
      StopWatching(*pipe);
      pipe->Close();
    }
  }
  outcome->pid = tree_->pid();
  outcome->program = program_;
  outcome->cause = lifecycle_.cause();
  outcome->exit = exit_;
  outcome->forced = lifecycle_.forced();
  outcome->stdin_bytes = input_.written();
  outcome->stdin_closed_early = input_.closed_early();
  outcome->leftovers = std::move(leftovers_);
  outcome->tree = tree_->strength();
  outcome->parent_death = tree_->parent_death();
  outcome->started_at_ms = started_at_ms_;
  outcome->duration_ms = static_cast<double>(ended_ - started_) / 1e6;
  outcome->usage = usage_;
  service_.RemoveLiving(*this);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    state_ = State::kEnded;
  }
  Event event = MakeEvent(Event::Kind::kFinished);
  event.outcome = std::move(outcome);
  Send(std::move(event));
  LeaveWhenDone();
}

void Run::LeaveWhenDone() {
  if (detached_ || !tree_->over() || AnyPipeOpen()) return;
  detached_ = true;
  service_.Detach(*this);
}

}  // namespace argv_spawn
