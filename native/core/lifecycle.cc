#include "core/lifecycle.h"

#include <algorithm>

namespace argv_spawn {

namespace {

constexpr uint64_t kMillisecond = 1'000'000;
// How long SIGKILL may take before the run is reported as not ended (uninterruptible sleep, another user's process).
constexpr uint64_t kForceBound = 1000 * kMillisecond;
// How long pipes may take to close after everything that could hold them was killed.
constexpr uint64_t kDrainAfterForce = 100 * kMillisecond;
constexpr uint64_t kCheckEvery = 10 * kMillisecond;

uint64_t After(uint64_t now, uint64_t span) { return span >= kNever - now ? kNever : now + span; }

}  // namespace

LifecyclePolicy PolicyOf(const Request& request) {
  LifecyclePolicy policy;
  policy.timeout = request.timeout;
  policy.idle_timeout = request.idle_timeout;
  policy.grace = request.force_kill_after;
  policy.drain = request.drain_timeout;
  policy.lingering = request.lingering;
  return policy;
}

void Lifecycle::OnSpawned(uint64_t now) {
  timeout_at_ = After(now, policy_.timeout);
  idle_at_ = After(now, policy_.idle_timeout);
}

void Lifecycle::OnOutput(uint64_t now) {
  if (ladder_ == Ladder::kNone) idle_at_ = After(now, policy_.idle_timeout);
}

Action Lifecycle::OnCause(Cause cause, uint64_t now) {
  if (ladder_ != Ladder::kNone || phase_ == Phase::kOver) return Action::kNone;
  cause_ = cause;
  return BeginLadder(now);
}

Action Lifecycle::BeginLadder(uint64_t now) {
  timeout_at_ = idle_at_ = drain_at_ = kNever;
  if (policy_.grace == 0) return Force(now);
  ladder_ = Ladder::kPolite;
  force_at_ = After(now, policy_.grace);
  if (phase_ == Phase::kDraining) {
    phase_ = Phase::kWindingDown;
    check_at_ = After(now, kCheckEvery);
  }
  return Action::kPolite;
}

Action Lifecycle::Force(uint64_t now) {
  ladder_ = Ladder::kForced;
  force_at_ = check_at_ = kNever;
  if (phase_ == Phase::kRunning) {
    give_up_at_ = After(now, kForceBound);
    return Action::kForce;
  }
  return Sweep();  // the leader is gone: the sweep sends SIGKILL to the rest
}

Action Lifecycle::Sweep() {
  phase_ = Phase::kOver;
  timeout_at_ = idle_at_ = force_at_ = give_up_at_ = drain_at_ = check_at_ = kNever;
  return Action::kSweep;
}

Action Lifecycle::OnLeaderEnded(uint64_t now, bool pipes_open) {
  if (phase_ != Phase::kRunning) return Action::kNone;
  pipes_open_ = pipes_open;
  give_up_at_ = kNever;
  if (policy_.lingering != Lingering::kWait) idle_at_ = kNever;
  if (ladder_ == Ladder::kPolite) {
    phase_ = Phase::kWindingDown;
    return Action::kCheckMembers;
  }
  if (!pipes_open) return Sweep();
  phase_ = Phase::kDraining;
  if (ladder_ == Ladder::kForced) {
    drain_at_ = After(now, kDrainAfterForce);
  } else if (policy_.lingering != Lingering::kWait) {
    drain_at_ = After(now, policy_.drain);
    if (policy_.drain == 0) return Sweep();
  }
  return Action::kNone;
}

Action Lifecycle::OnPipesClosed(uint64_t now) {
  pipes_open_ = false;
  if (phase_ == Phase::kDraining) return Sweep();
  if (phase_ == Phase::kWindingDown) {
    check_at_ = now;
    return Action::kCheckMembers;
  }
  return Action::kNone;
}

Action Lifecycle::OnMembers(bool any, uint64_t now) {
  if (phase_ != Phase::kWindingDown) return Action::kNone;
  if (any) {
    check_at_ = After(now, kCheckEvery);
    return Action::kNone;
  }
  check_at_ = kNever;
  return AfterMembersGone(now);
}

Action Lifecycle::OnNothingPolite(uint64_t now) {
  return ladder_ == Ladder::kPolite && phase_ != Phase::kOver ? Force(now) : Action::kNone;
}

Action Lifecycle::AfterMembersGone(uint64_t now) {
  if (!pipes_open_) return Sweep();
  // Whoever still holds a pipe is not a member: it gets the short bound, and is reported.
  phase_ = Phase::kDraining;
  force_at_ = kNever;
  drain_at_ = After(now, std::min(policy_.drain, kDrainAfterForce));
  return Action::kNone;
}

Action Lifecycle::OnTime(uint64_t now) {
  if (phase_ == Phase::kOver) return Action::kNone;
  if (now >= give_up_at_) {
    phase_ = Phase::kOver;
    timeout_at_ = idle_at_ = force_at_ = give_up_at_ = drain_at_ = check_at_ = kNever;
    return Action::kGiveUp;
  }
  if (now >= force_at_) return Force(now);
  if (now >= drain_at_) return Sweep();
  if (now >= timeout_at_) return OnCause(Cause::kTimeout, now);
  if (now >= idle_at_) return OnCause(Cause::kIdleTimeout, now);
  if (now >= check_at_) return Action::kCheckMembers;
  return Action::kNone;
}

uint64_t Lifecycle::NextTime() const {
  return std::min({timeout_at_, idle_at_, force_at_, give_up_at_, drain_at_, check_at_});
}

}  // namespace argv_spawn
