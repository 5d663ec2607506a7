// When to signal, when to force and when to settle: the policy of one run as a pure state machine.
//
// It knows no process and no clock: facts and the time come in, at most one action comes out. The engine of each OS
// performs the action and feeds back the facts that follow. All times are nanoseconds on one monotonic clock.
//
//   running --leader ended--> draining --pipes closed or drain over--> sweep
//      |                         |
//      +---- cause (timeout, stop, cap) ---- ladder: polite, grace, force, give up
//
// While a ladder runs, the leader's end is not enough: members of the tree that are still there keep their grace.
#pragma once

#include <cstdint>

#include "core/event.h"
#include "core/request.h"

namespace argv_spawn {

struct LifecyclePolicy {
  uint64_t timeout = kNever;
  uint64_t idle_timeout = kNever;
  uint64_t grace = 0;  // between the polite signal and SIGKILL; kNever = no second step
  uint64_t drain = 0;
  Lingering lingering = Lingering::kKill;
};

LifecyclePolicy PolicyOf(const Request& request);

enum class Action {
  kNone,
  kPolite,        // send the first signal of the ladder to the tree
  kForce,         // send SIGKILL to the tree
  kCheckMembers,  // look whether anything but the leader remains, answer with OnMembers
  kSweep,         // the run is over: end (or, under kLeave, release) what remains, verify, report
  kGiveUp,        // SIGKILL did not end the leader: report what is still there
};

class Lifecycle {
 public:
  explicit Lifecycle(const LifecyclePolicy& policy) : policy_(policy) {}

  void OnSpawned(uint64_t now);
  void OnOutput(uint64_t now);
  Action OnCause(Cause cause, uint64_t now);
  // `pipes_open`: a pipe we read has not reached its end although everything in it has been read.
  Action OnLeaderEnded(uint64_t now, bool pipes_open);
  Action OnPipesClosed(uint64_t now);
  Action OnMembers(bool any, uint64_t now);
  // The answer to kPolite when there is nothing polite to be done: the grace would be waited for in vain.
  Action OnNothingPolite(uint64_t now);
  Action OnTime(uint64_t now);

  // The next point in time at which OnTime wants to be called.
  uint64_t NextTime() const;

  Cause cause() const { return cause_; }
  bool forced() const { return ladder_ == Ladder::kForced; }
  bool leader_ended() const { return phase_ != Phase::kRunning; }
  // What the sweep does with members that remain.
  bool releases_members() const { return cause_ == Cause::kNone && policy_.lingering == Lingering::kLeave; }

 private:
  enum class Phase { kRunning, kDraining, kWindingDown, kOver };
  enum class Ladder { kNone, kPolite, kForced };

  Action BeginLadder(uint64_t now);
  Action Force(uint64_t now);
  Action Sweep();
  Action AfterMembersGone(uint64_t now);

  LifecyclePolicy policy_;
  Phase phase_ = Phase::kRunning;
  Ladder ladder_ = Ladder::kNone;
  Cause cause_ = Cause::kNone;
  bool pipes_open_ = false;
  uint64_t timeout_at_ = kNever;
  uint64_t idle_at_ = kNever;
  uint64_t force_at_ = kNever;
  uint64_t give_up_at_ = kNever;
  uint64_t drain_at_ = kNever;
  uint64_t check_at_ = kNever;
};

}  // namespace argv_spawn
