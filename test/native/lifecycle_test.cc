// The policy, as a table of facts in and actions out. No process, no clock.
#include "core/lifecycle.h"
#include "check.h"

using namespace argv_spawn;

namespace {

constexpr uint64_t kMs = 1'000'000;

LifecyclePolicy Policy(uint64_t timeout, uint64_t grace, uint64_t drain, Lingering lingering = Lingering::kKill) {
  LifecyclePolicy policy;
  policy.timeout = timeout;
  policy.grace = grace;
  policy.drain = drain;
  policy.lingering = lingering;
  return policy;
}

}  // namespace

TEST(SettlesAtOnce, "a program that ends with its pipes closed is swept at once") {
  Lifecycle run(Policy(kNever, 2000 * kMs, 100 * kMs));
  run.OnSpawned(0);
  CHECK(run.NextTime() == kNever);
  CHECK(run.OnLeaderEnded(5, false) == Action::kSweep);
  CHECK(run.cause() == Cause::kNone);
  CHECK(run.NextTime() == kNever);
}

TEST(DrainIsBounded, "a held pipe gets the drain time and no more") {
  Lifecycle run(Policy(kNever, 2000 * kMs, 100 * kMs));
  run.OnSpawned(0);
  CHECK(run.OnLeaderEnded(10 * kMs, true) == Action::kNone);
  CHECK(run.NextTime() == 110 * kMs);
  run.OnOutput(50 * kMs);  // more output does not extend it
  CHECK(run.NextTime() == 110 * kMs);
  CHECK(run.OnTime(109 * kMs) == Action::kNone);
  CHECK(run.OnTime(110 * kMs) == Action::kSweep);
}

TEST(PipesCloseEarly, "a held pipe that closes in time ends the drain") {
  Lifecycle run(Policy(kNever, 2000 * kMs, 100 * kMs));
  run.OnSpawned(0);
  CHECK(run.OnLeaderEnded(10 * kMs, true) == Action::kNone);
  CHECK(run.OnPipesClosed(20 * kMs) == Action::kSweep);
}

TEST(WaitHasNoDrain, "wait waits for the pipes, under the timeout alone") {
  Lifecycle run(Policy(500 * kMs, 0, 100 * kMs, Lingering::kWait));
  run.OnSpawned(0);
  CHECK(run.OnLeaderEnded(10 * kMs, true) == Action::kNone);
  CHECK(run.NextTime() == 500 * kMs);
  CHECK(run.OnTime(500 * kMs) == Action::kSweep);  // no grace: forced at once
  CHECK(run.cause() == Cause::kTimeout);
  CHECK(run.forced());
  CHECK(!run.releases_members());
}

TEST(LeaveReleases, "leave releases what remains, unless a cause ended the run") {
  Lifecycle left(Policy(kNever, 0, 100 * kMs, Lingering::kLeave));
  left.OnSpawned(0);
  CHECK(left.OnLeaderEnded(1, true) == Action::kNone);
  CHECK(left.OnTime(1 + 100 * kMs) == Action::kSweep);
  CHECK(left.releases_members());
  Lifecycle stopped(Policy(kNever, 0, 100 * kMs, Lingering::kLeave));
  stopped.OnSpawned(0);
  CHECK(stopped.OnCause(Cause::kStop, 1) == Action::kForce);
  CHECK(!stopped.releases_members());
}

TEST(LadderHasThreeSteps, "a stubborn program gets the signal, then SIGKILL, then is given up") {
  Lifecycle run(Policy(300 * kMs, 200 * kMs, 100 * kMs));
  run.OnSpawned(0);
  CHECK(run.OnTime(299 * kMs) == Action::kNone);
  CHECK(run.OnTime(300 * kMs) == Action::kPolite);
  CHECK(run.NextTime() == 500 * kMs);
  CHECK(run.OnCause(Cause::kAbort, 310 * kMs) == Action::kNone);  // the first cause stays
  CHECK(run.OnTime(500 * kMs) == Action::kForce);
  CHECK(run.OnTime(1499 * kMs) == Action::kNone);
  CHECK(run.OnTime(1500 * kMs) == Action::kGiveUp);
  CHECK(run.cause() == Cause::kTimeout);
}

TEST(MembersKeepGrace, "members that outlive a polite leader keep their grace, then are swept") {
  Lifecycle run(Policy(100 * kMs, 200 * kMs, 50 * kMs));
  run.OnSpawned(0);
  CHECK(run.OnTime(100 * kMs) == Action::kPolite);
  CHECK(run.OnLeaderEnded(110 * kMs, true) == Action::kCheckMembers);
  CHECK(run.OnMembers(true, 110 * kMs) == Action::kNone);
  CHECK(run.OnTime(120 * kMs) == Action::kCheckMembers);
  CHECK(run.OnMembers(true, 120 * kMs) == Action::kNone);
  CHECK(run.OnTime(300 * kMs) == Action::kSweep);
  CHECK(run.forced());
}

TEST(MembersGoQuietly, "members that go in time are not forced") {
  Lifecycle run(Policy(100 * kMs, 200 * kMs, 50 * kMs));
  run.OnSpawned(0);
  CHECK(run.OnTime(100 * kMs) == Action::kPolite);
  CHECK(run.OnLeaderEnded(110 * kMs, false) == Action::kCheckMembers);
  CHECK(run.OnMembers(false, 110 * kMs) == Action::kSweep);
  CHECK(!run.forced());
}

TEST(IdleIsReset, "output resets the idle timeout") {
  LifecyclePolicy policy = Policy(kNever, kNever, 0);
  policy.idle_timeout = 100 * kMs;
  Lifecycle run(policy);
  run.OnSpawned(0);
  CHECK(run.NextTime() == 100 * kMs);
  run.OnOutput(90 * kMs);
  CHECK(run.OnTime(100 * kMs) == Action::kNone);
  CHECK(run.OnTime(190 * kMs) == Action::kPolite);
  CHECK(run.cause() == Cause::kIdleTimeout);
  CHECK(run.NextTime() == kNever);  // an endless grace has no second step
}
