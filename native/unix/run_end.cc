// How a run ends: who is still there, end or release them, verify, wait for tee files, report.
//
// The leader is dead and unreaped when Sweep begins. What remains of its group is found before anything is signalled,
// so that the report has names and not only numbers. Where a pidfd can name the group (Linux 6.9) the leader is reaped
// first: one system call then tells that nobody else is left, which is the usual case and the fast one.
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "unix/clock.h"
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

std::vector<ProcessInfo> Run::OthersInGroup() const {
  std::vector<ProcessInfo> others;
  if (!child_.leads_group()) return others;
  for (ProcessInfo& member : GroupMembers(child_.pid())) {
    if (member.pid != child_.pid() && !member.dead) others.push_back(std::move(member));
  }
  return others;
}

std::vector<ProcessInfo> Run::HoldersOfPipes() const {
  std::vector<ProcessInfo> holders;
  for (const OutputPipe* pipe : {&output_, &error_}) {
    if (!pipe->is_open()) continue;
    for (ProcessInfo& holder : PipeHolders(pipe->fd())) {
      if (holder.pid != child_.pid() && !Contains(holders, holder.pid)) holders.push_back(std::move(holder));
    }
  }
  return holders;
}

void Run::Record(const ProcessInfo& process, bool held_pipe, const char* fate, const char* why) {
  Leftover leftover;
  leftover.pid = process.pid;
  leftover.name = process.name;
  leftover.held_pipe = held_pipe;
  leftover.fate = fate;
  leftover.why = why;
  leftovers_.push_back(std::move(leftover));
}

void Run::ReapLeader() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (child_.reaped()) return;
  usage_ = child_.Reap();
}

// While a ladder runs and the leader has ended: is anyone else still winding down?
void Run::CheckMembers() { Perform(lifecycle_.OnMembers(!OthersInGroup().empty(), NowNs())); }

void Run::Sweep() {
  Drain(output_);
  Drain(error_);
  CloseInput();
  bool certainly_alone = !child_.leads_group();
  if (child_.group_outlives_reap()) {
    ReapLeader();
    std::lock_guard<std::mutex> lock(mutex_);
    certainly_alone = child_.SignalGroup(0) == ESRCH;
  }
  const std::vector<ProcessInfo> others = certainly_alone ? std::vector<ProcessInfo>() : OthersInGroup();
  const std::vector<ProcessInfo> holders = HoldersOfPipes();
  const bool contained = request_.containment != TreeStrength::kNone && child_.leads_group();
  released_ = lifecycle_.releases_members() || !contained;
  const char* fate = lifecycle_.releases_members() ? "left" : contained ? "ended" : "survived";
  const char* why = released_ && !lifecycle_.releases_members() ? "not-contained" : "";
  for (const ProcessInfo& other : others) Record(other, Contains(holders, other.pid), fate, why);
  for (const ProcessInfo& holder : holders) {
    if (Contains(others, holder.pid)) continue;
    if (lifecycle_.releases_members()) {
      Record(holder, true, "left", "");
    } else {
      Record(holder, true, "survived", contained ? "left-group" : "not-contained");
    }
  }
  if (!released_ && !others.empty()) {
    std::lock_guard<std::mutex> lock(mutex_);
    child_.SignalGroup(SIGKILL);
  }
  ReapLeader();
  if (released_ || others.empty()) {
    FinishWhenFlushed();
    return;
  }
  ending_ = Ending::kVerifying;
  ending_until_ = NowNs() + kVerifyBound;
  verify_span_ = kMillisecond;
  ending_next_ = NowNs() + verify_span_;
}

// After SIGKILL: until nobody of the group is alive, or the bound has passed. Signals nothing.
void Run::Verify() {
  const std::vector<ProcessInfo> alive = OthersInGroup();
  const uint64_t now = NowNs();
  if (!alive.empty() && now < ending_until_) {
    verify_span_ = std::min(verify_span_ * 2, kLongestVerifySpan);
    ending_next_ = now + verify_span_;
    return;
  }
  for (const ProcessInfo& survivor : alive) {
    const auto known = std::find_if(leftovers_.begin(), leftovers_.end(),
                                    [&](const Leftover& one) { return one.pid == survivor.pid; });
    if (known == leftovers_.end()) {
      Record(survivor, false, "survived", WhyAlive(survivor));
    } else {
      known->fate = "survived";
      known->why = WhyAlive(survivor);
    }
  }
  Drain(output_);
  Drain(error_);
  FinishWhenFlushed();
}

// SIGKILL did not end the leader, or was not allowed: say who is there and let go. The watch for its exit stays, so
// that it is reaped whenever it does end.
void Run::GiveUp() {
  ended_ = NowNs();
  if (const auto leader = DescribeProcess(child_.pid())) Record(*leader, false, "survived", WhyAlive(*leader));
  for (const ProcessInfo& other : OthersInGroup()) Record(other, false, "survived", WhyAlive(other));
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
  outcome->pid = child_.pid();
  outcome->program = program_;
  outcome->cause = lifecycle_.cause();
  outcome->exit = exit_;
  outcome->forced = lifecycle_.forced();
  outcome->stdin_bytes = input_.written();
  outcome->stdin_closed_early = input_.closed_early();
  outcome->leftovers = std::move(leftovers_);
  outcome->tree =
      request_.containment == TreeStrength::kNone || !child_.leads_group() ? TreeStrength::kNone : TreeStrength::kGroup;
  outcome->parent_death = "exit-hook";
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
  if (exit_seen_ && !AnyPipeOpen()) LeaveService();
}

void Run::LeaveService() {
  if (detached_ || !exit_seen_) return;
  detached_ = true;
  service_.Detach(*this);
}

}  // namespace argv_spawn
