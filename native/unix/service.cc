#include "unix/service.h"

#include <chrono>
#include <cstdlib>
#include <utility>

#include "core/clock.h"
#include "unix/os_error.h"
#include "unix/run.h"
#include "unix/threads.h"

namespace argv_spawn {

namespace {

constexpr std::chrono::seconds kExitBound(1);  // for starts that are under way when the process exits
constexpr uint64_t kLookAtPools = 50'000'000;  // while one is busy, in nanoseconds

}  // namespace

Service& Service::Get() {
  static auto* service = new Service();
  return *service;
}

std::optional<Failure> Service::EnsureStarted() {
  std::lock_guard<std::mutex> lock(start_mutex_);
  if (started_) return std::nullopt;
  if (!is_open()) {
    if (auto failure = Open()) return failure;
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

// Service thread, for ever.
void Service::Main() {
  for (;;) {
    Turn(WatchPools() ? kLookAtPools : kNever);
    for (WorkerPool* pool : {&spawners_, &tee_writers_}) {
      if (pool->is_busy()) pool->LookAround();
    }
  }
}

// For a while longer than it is needed, since pools are busy now and not the next moment. That it is over is said
// before they are looked at: one that becomes busy from then on wakes this thread.
bool Service::WatchPools() {
  const auto is_busy = [this] { return spawners_.is_busy() || tee_writers_.is_busy(); };
  if (is_busy()) watches_until_ = NowNs() + kLookAtPools;
  watches_pools_.store(NowNs() < watches_until_);
  if (!watches_pools_.load() && is_busy()) watches_pools_.store(true);
  return watches_pools_.load();
}

void Service::OnPoolBusy() {
  Service& service = Get();
  if (!service.watches_pools_.load()) service.reactor().Wake();
}

bool Service::ExpectsStarts() { return spawners_.has_waiting(); }

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
