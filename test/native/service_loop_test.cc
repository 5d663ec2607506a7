// The half of the service thread that knows no system: tasks, slots, timers.
#include <string>
#include <thread>

#include "check.h"
#include "core/clock.h"
#include "core/service_loop.h"

using namespace argv_spawn;

namespace {

class CountingLoop final : public ServiceLoop {
 public:
  int wakes = 0;

 private:
  void Wake() override { wakes++; }
};

class Named final : public ServiceLoop::Member {
 public:
  Named(ServiceLoop& loop, std::string& log, char name) : loop_(loop), log_(log), name_(name) {}
  ~Named() { log_ += '~'; }
  void OnTime(uint64_t) override {
    log_ += name_;
    if (detaches) loop_.Detach(*this);
  }
  bool detaches = false;

 private:
  ServiceLoop& loop_;
  std::string& log_;
  char name_;
};

}  // namespace

TEST(TasksRunInOrder, "tasks run in their order, those they post in the next round, and only the first wakes") {
  CountingLoop loop;
  std::string log;
  loop.Post([&] {
    log += 'a';
    loop.Post([&] { log += 'c'; });
  });
  loop.Post([&] { log += 'b'; });
  CHECK(loop.wakes == 1);
  loop.RunTasks();
  CHECK(log == "ab");
  CHECK(loop.wakes == 2);
  loop.RunTasks();
  CHECK(log == "abc");
}

TEST(TasksOfRetired, "a loop that has retired keeps no task: its heir runs those that were there and those that come") {
  CountingLoop loop;
  CountingLoop heir;
  std::string log;
  loop.Post([&] { log += 'a'; });
  loop.Retire(heir);
  loop.Post([&] { log += 'b'; });
  loop.RunTasks();
  CHECK(log.empty() && loop.wakes == 1 && heir.wakes == 1);
  heir.RunTasks();
  CHECK(log == "ab");
}

TEST(TasksComeFromThreads, "tasks of several threads all run") {
  CountingLoop loop;
  int count = 0;
  std::thread other([&] {
    for (int i = 0; i < 1000; i++) loop.Post([&] { count++; });
  });
  while (count < 500) loop.RunTasks();
  other.join();
  loop.RunTasks();
  CHECK(count == 1000);
}

TEST(TokensGoStale, "a token finds its member and its source, and nobody once the member is detached") {
  CountingLoop loop;
  std::string log;
  const auto first = std::make_shared<Named>(loop, log, 'a');
  const auto second = std::make_shared<Named>(loop, log, 'b');
  loop.Attach(first);
  const Token token = ServiceLoop::MakeToken(*first, 3);
  CHECK(token > UINT32_MAX);
  CHECK(ServiceLoop::SourceOf(token) == 3);
  CHECK(loop.Find(token) == first);
  loop.Detach(*first);
  CHECK(!loop.Find(token));
  loop.Attach(second);  // takes the same slot
  CHECK(!loop.Find(token));
  const Token other = ServiceLoop::MakeToken(*second, 3);
  CHECK(static_cast<uint32_t>(other) == static_cast<uint32_t>(token));
  CHECK(loop.Find(other) == second);
  CHECK(!loop.Find(token | (static_cast<Token>(UINT32_MAX) & ~3U)));  // a slot that there is not
}

TEST(LoopOwnsMembers, "an attached member stays alive until it is detached, which may be its end") {
  CountingLoop loop;
  std::string log;
  auto member = std::make_shared<Named>(loop, log, 'a');
  member->detaches = true;
  loop.Attach(member);
  loop.SetTimer(*member, NowNs());
  member.reset();
  CHECK(log.empty());
  loop.FireTimers();
  CHECK(log == "a~");
  CHECK(loop.TimerSpan() == kNever);
}

TEST(OneTimerEach, "a member has one timer; the ones that are due fire, the earliest first, once") {
  CountingLoop loop;
  std::string log;
  const auto first = std::make_shared<Named>(loop, log, 'a');
  const auto second = std::make_shared<Named>(loop, log, 'b');
  const auto third = std::make_shared<Named>(loop, log, 'c');
  const auto fourth = std::make_shared<Named>(loop, log, 'd');
  for (const auto& member : {first, second, third, fourth}) loop.Attach(member);
  CHECK(loop.TimerSpan() == kNever);
  const uint64_t now = NowNs();
  constexpr uint64_t kHour = 3600ULL * 1'000'000'000;
  loop.SetTimer(*third, now + kHour);
  CHECK(loop.TimerSpan() > 0 && loop.TimerSpan() <= kHour);
  loop.SetTimer(*first, now);
  loop.SetTimer(*second, now + kHour);
  loop.SetTimer(*second, now - 1);
  loop.SetTimer(*fourth, now);
  loop.SetTimer(*fourth, kNever);
  CHECK(loop.TimerSpan() == 0);
  loop.FireTimers();
  CHECK(log == "ba");
  loop.FireTimers();
  CHECK(log == "ba");
  CHECK(loop.TimerSpan() > 0);
  loop.Detach(*third);
  CHECK(loop.TimerSpan() == kNever);
}
