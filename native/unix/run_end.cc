// How the tree of a run ends: who is still there, end or release them, verify.
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
  if (output_.is_open()) fds.push_back(output_pipe_.fd());
  if (error_.is_open()) fds.push_back(error_pipe_.fd());
  return fds;
}

void Run::RecordProcess(const ProcessInfo& process, bool held_pipe, const char* fate, const char* why) {
  Record({process.pid, process.name, held_pipe, fate, why});
}

void Run::KillTree() { tree_->SignalAll(SIGKILL); }

void Run::EndAtExit() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (state_ == State::kRunning && !request_.outlives_host) KillTree();
}

void Run::AskToEnd() {
  std::lock_guard<std::mutex> lock(mutex_);
  tree_->SignalAll(request_.kill_signal);
}

void Run::ReapLeader() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (auto usage = tree_->Reap()) usage_ = usage;
}

// The last step of the ladder while the direct child runs. Its exit, or the bound on it, brings the rest.
bool Run::ForceEnd() {
  if (tree_->strength() != TreeStrength::kNone && !tree_->reports_its_end()) {
    const std::vector<int> pipes = OpenPipes();
    for (const ProcessInfo& other : tree_->Others()) RecordProcess(other, HoldsPipeOf(other.pid, pipes), "ended", "");
  }
  std::lock_guard<std::mutex> lock(mutex_);
  return tree_->SignalAll(SIGKILL) != EPERM;
}

void Run::RecordEnded(const std::vector<EndedProcess>& ended) {
  for (const EndedProcess& one : ended) {
    const bool held = ((one.held & 1) != 0 && output_.opened()) || ((one.held & 2) != 0 && error_.opened());
    RecordProcess(one.info, held, "ended", "");
  }
}

bool Run::HasOthers() const { return !tree_->Others().empty(); }

void Run::SweepTree() {
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
      RecordProcess(other, holds, "left", "");
    } else if (contained) {
      RecordProcess(other, holds, "ended", "");
    } else {
      RecordProcess(other, holds, "survived", tree_->why_outside());
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
    BeginReport();
    return;
  }
  BeginVerifying();
}

// After SIGKILL: until nobody of the tree is alive, or the bound has passed. Signals nothing.
void Run::VerifyTree() {
  const uint64_t now = NowNs();
  const bool in_time = may_verify_again(now);
  std::vector<ProcessInfo> alive;
  if (!tree_->reports_its_end() || !in_time) alive = tree_->Others();
  if (in_time && (tree_->reports_its_end() ? !tree_->over() : !alive.empty())) {
    VerifyAgain(now);
    return;
  }
  for (const ProcessInfo& survivor : alive) RecordProcess(survivor, false, "survived", WhyAlive(survivor));
  DrainOutputs();
  RecordOutsiders(alive);
  BeginReport();
}

// Who still holds a pipe and is none of `members`. The tree has ended, or is left alone: an open pipe is rare now,
// which is why so dear a question is asked here and not before.
void Run::RecordOutsiders(const std::vector<ProcessInfo>& members) {
  const std::vector<int> pipes = OpenPipes();
  if (pipes.empty()) return;
  const bool leaves = lifecycle_.releases_members();
  for (const ProcessInfo& holder : PipeHolders(pipes)) {
    if (holder.dead || holder.pid == tree_->pid() || Contains(members, holder.pid)) continue;
    RecordProcess(holder, true, leaves ? "left" : "survived", leaves ? "" : tree_->why_outside());
  }
}

void Run::RecordUnended() {
  if (const auto leader = DescribeProcess(tree_->pid())) RecordProcess(*leader, false, "survived", WhyAlive(*leader));
  for (const ProcessInfo& other : tree_->Others()) RecordProcess(other, false, "survived", WhyAlive(other));
}

void Run::Describe(Outcome& outcome) {
  outcome.pid = tree_->pid();
  outcome.tree = tree_->strength();
  outcome.parent_death = tree_->parent_death();
  outcome.usage = usage_;
}

void Run::OnReported() { service_.RemoveLiving(*this); }

// The thread of JavaScript is the last to let go of a run, and has better things to do than to close descriptors.
void Run::OnLeaving() {
  std::lock_guard<std::mutex> lock(mutex_);
  tree_.reset();
}

}  // namespace argv_spawn
