#include "unix/service.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "unix/clock.h"
#include "unix/os_error.h"
#include "unix/run.h"
#include "unix/threads.h"

namespace argv_spawn {

namespace {

constexpr std::chrono::seconds kExitBound(1);     // for starts that are under way when the process exits
constexpr uint64_t kLookAtSpawners = 50'000'000;  // while jobs wait, in nanoseconds

// token = generation (32 bits) | slot (30 bits) | source (2 bits)
constexpr int kSourceBits = 2;
constexpr int kGenerationShift = 32;

}  // namespace

Service& Service::Get() {
  static auto* service = new Service();
  return *service;
}

std::optional<Failure> Service::EnsureStarted() {
  std::lock_guard<std::mutex> lock(start_mutex_);
  if (started_) return std::nullopt;
  if (!reactor_.is_open()) {
    if (auto failure = reactor_.Open()) return failure;
  }
  PinLibrary();
  if (const int error = StartThread("argv-spawn", [this] { Main(); })) {
    return OsFailure(Stage::kSetup, "pthread_create", "host", "", error);
  }
  started_ = true;
  // Node runs no clean-up of ours on process.exit() or after an uncaught exception, only the C library's.
  std::atexit([] { Service::Get().EndAllAtExit(); });
  return std::nullopt;
}

void Service::Post(std::function<void()> task) {
  bool first;
  {
    std::lock_guard<std::mutex> lock(tasks_mutex_);
    first = tasks_.empty();
    tasks_.push_back(std::move(task));
  }
  if (first) reactor_.Wake();
}

Token Service::MakeToken(const Run& run, Source source) {
  return (static_cast<Token>(run.generation) << kGenerationShift) | (static_cast<Token>(run.slot) << kSourceBits) |
         static_cast<Token>(source);
}

void Service::Attach(const std::shared_ptr<Run>& run) {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  run->slot = free_slots_.back();
  free_slots_.pop_back();
  Slot& slot = slots_[run->slot];
  run->generation = ++slot.generation;
  slot.run = run;
  run->timer = timers_.end();
}

void Service::Detach(Run& run) {
  SetTimer(run, kNever);
  Slot& slot = slots_[run.slot];
  slot.generation++;
  free_slots_.push_back(run.slot);
  // May be the last owner: `run` is not touched after this.
  const std::shared_ptr<Run> last = std::move(slot.run);
}

void Service::SetTimer(Run& run, uint64_t at) {
  if (run.timer != timers_.end()) {
    if (run.timer->first == at) return;
    timers_.erase(run.timer);
    run.timer = timers_.end();
  }
  if (at != kNever) run.timer = timers_.emplace(at, run.slot);
}

// Service thread, for ever.
void Service::Main() {
  std::vector<Ready> ready;
  for (;;) {
    reactor_.Wait(WaitSpan(), ready);
    RunTasks();
    for (const Ready& one : ready) Dispatch(one);
    FireTimers();
    spawner_.GrowIfStuck();
  }
}

uint64_t Service::WaitSpan() {
  uint64_t span = kNever;
  if (!timers_.empty()) {
    const uint64_t now = NowNs();
    span = timers_.begin()->first > now ? timers_.begin()->first - now : 0;
  }
  return spawner_.has_waiting() ? std::min(span, kLookAtSpawners) : span;
}

void Service::RunTasks() {
  {
    std::lock_guard<std::mutex> lock(tasks_mutex_);
    running_tasks_.swap(tasks_);
  }
  for (auto& task : running_tasks_) task();
  running_tasks_.clear();
}

void Service::Dispatch(const Ready& ready) {
  const auto generation = static_cast<uint32_t>(ready.token >> kGenerationShift);
  const auto index = static_cast<uint32_t>((ready.token & UINT32_MAX) >> kSourceBits);
  if (index >= slots_.size() || slots_[index].generation != generation || !slots_[index].run) return;  // stale
  const std::shared_ptr<Run> run = slots_[index].run;
  run->OnReady(static_cast<Source>(ready.token & 3), ready.hangup);
}

void Service::FireTimers() {
  if (timers_.empty()) return;
  const uint64_t now = NowNs();
  while (!timers_.empty() && timers_.begin()->first <= now) {
    const std::shared_ptr<Run> run = slots_[timers_.begin()->second].run;
    timers_.erase(timers_.begin());
    run->timer = timers_.end();
    run->OnTime(now);
  }
}

void Service::AddLiving(Run& run) {
  std::lock_guard<std::mutex> lock(living_mutex_);
  living_.insert(&run);
}

void Service::RemoveLiving(Run& run) {
  std::lock_guard<std::mutex> lock(living_mutex_);
  living_.erase(&run);
}

void Service::EndAllAtExit() {
  // Said before the gate is asked for: the C library prefers readers (pthread_rwlockattr_setkind_np(3)), so spawners
  // that take turns would keep us out. Then closed for good. A start that is stuck in the kernel is not waited for
  // beyond the bound.
  closing_.store(true);
  const bool closed = start_gate_.try_lock_for(kExitBound);
  (void)closed;
  std::lock_guard<std::mutex> lock(living_mutex_);
  for (Run* run : living_) run->EndAtExit();
}

}  // namespace argv_spawn
