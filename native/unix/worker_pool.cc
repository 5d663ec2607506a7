#include "unix/worker_pool.h"

#include <chrono>
#include <utility>

#include "core/clock.h"
#include "unix/threads.h"

namespace argv_spawn {

namespace {
constexpr int kMost = 64;
constexpr uint64_t kStuckAfter = 50'000'000;  // nanoseconds without any progress
constexpr std::chrono::seconds kIdleSpan(1);
}  // namespace

int WorkerPool::StartOne() {
  const int error = StartThread(name_, [this] { Main(); });
  if (error == 0) threads_++;
  return error;
}

int WorkerPool::Submit(std::function<void()> job) {
  std::unique_lock<std::mutex> lock(mutex_);
  const int error = idle_ == 0 && threads_ < usual_ ? StartOne() : 0;
  if (threads_ == 0) return error;
  if (jobs_.empty()) last_taken_ = NowNs();
  jobs_.push_back(std::move(job));
  // Unlocked first: the thread that wakes up would only wait for the lock.
  lock.unlock();
  changed_.notify_one();
  return 0;
}

bool WorkerPool::has_waiting() {
  std::lock_guard<std::mutex> lock(mutex_);
  return !jobs_.empty();
}

void WorkerPool::GrowIfStuck() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (jobs_.empty() || idle_ > 0 || threads_ >= kMost) return;
  if (NowNs() - last_taken_ >= kStuckAfter) StartOne();
}

// Thread of the pool.
void WorkerPool::Main() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    idle_++;
    // Threads beyond the usual number go away again once there is nothing to do.
    bool has_job;
    {
      // Woken by the thread that runs JavaScript, and often beside it: that one goes on first.
      const DeferentialWait deferential;
      has_job = changed_.wait_for(lock, kIdleSpan, [this] { return !jobs_.empty(); });
    }
    idle_--;
    if (!has_job) {
      if (threads_ <= usual_) continue;
      threads_--;
      return;
    }
    std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    last_taken_ = NowNs();
    lock.unlock();
    job();
    job = nullptr;
    lock.lock();
  }
}

}  // namespace argv_spawn
