// Wake-ups that wait for each other, by a clock of the test's own.
#include <memory>

#include "check.h"
#include "core/clock.h"
#include "core/gathered_wakes.h"
#include "core/service_loop.h"

using namespace argv_spawn;

namespace {

constexpr uint64_t kMs = 1'000'000;

class Sleeper final : public Sink {
 public:
  void Post(Event, bool) override {}
  void Wake() override { wakes++; }
  int wakes = 0;
};

class Loop final : public ServiceLoop {
 private:
  void Wake() override {}
};

}  // namespace

TEST(FirstWakeIsAtOnce, "a wake-up after a pause is at once, those that follow wait for each other") {
  GatheredWakes wakes;
  const auto one = std::make_shared<Sleeper>();
  const auto two = std::make_shared<Sleeper>();
  CHECK(wakes.next() == kNever);
  wakes.Ask(one, 10 * kMs);
  CHECK(one->wakes == 1);
  CHECK(wakes.next() == kNever);
  wakes.Ask(one, 10 * kMs + 1);
  wakes.Ask(one, 10 * kMs + 2);
  wakes.Ask(two, 10 * kMs + 3);
  CHECK(wakes.next() == 14 * kMs);
  wakes.Fire(14 * kMs - 1);
  CHECK(one->wakes == 1 && two->wakes == 0);
  wakes.Fire(14 * kMs);
  CHECK(one->wakes == 2 && two->wakes == 1);
  CHECK(wakes.next() == kNever);
  wakes.Ask(two, 14 * kMs + 1);  // soon after what was fired
  CHECK(two->wakes == 1);
  CHECK(wakes.next() == 18 * kMs);
  wakes.Fire(19 * kMs);
  CHECK(two->wakes == 2);
  wakes.Ask(one, 23 * kMs);
  CHECK(one->wakes == 3);
}

TEST(LateWakesAreNotOvertaken, "what waits beyond its time is fired, not passed over by the next that asks") {
  GatheredWakes wakes;
  const auto one = std::make_shared<Sleeper>();
  const auto two = std::make_shared<Sleeper>();
  wakes.Ask(one, kMs);
  wakes.Ask(one, kMs + 1);
  wakes.Ask(two, 9 * kMs);
  CHECK(two->wakes == 0);
  wakes.Fire(9 * kMs);
  CHECK(one->wakes == 2 && two->wakes == 1);
}

TEST(LoopFiresWakes, "the loop wakes up for them as for a timer") {
  Loop loop;
  const auto sleeper = std::make_shared<Sleeper>();
  loop.WakeSoon(sleeper);
  CHECK(sleeper->wakes == 1);
  CHECK(loop.TimerSpan() == kNever);
  loop.WakeSoon(sleeper);
  CHECK(loop.TimerSpan() <= 4 * kMs);
  while (loop.TimerSpan() != kNever) loop.FireTimers();
  CHECK(sleeper->wakes == 2);
}
