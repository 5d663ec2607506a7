#include "unix/worker_pool.h"

#include <chrono>
#include <optional>
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
  waiting_.store(jobs_.size(), std::memory_order_relaxed);
  // Unlocked first: the thread that wakes up would only wait for the lock.
  lock.unlock();
  changed_.notify_one();
  return 0;
}

void WorkerPool::GrowIfStuck() {
  if (!has_waiting()) return;
  std::lock_guard<std::mutex> lock(mutex_);
  if (jobs_.empty() || idle_ > 0 || threads_ >= kMost) return;
  if (NowNs() - last_taken_ >= kStuckAfter) StartOne();
}

// Thread of the pool.
bool WorkerPool::Take(std::unique_lock<std::mutex>& lock, std::function<void()>& job) {
  idle_++;
  const bool has_job = changed_.wait_for(lock, kIdleSpan, [this] { return !jobs_.empty(); });
  idle_--;
  if (!has_job) return false;
  job = std::move(jobs_.front());
  jobs_.pop_front();
  waiting_.store(jobs_.size(), std::memory_order_relaxed);
  last_taken_ = NowNs();
  return true;
}

// Thread of the pool.
void WorkerPool::Main() {
  for (;;) {
    std::function<void()> job;
    {
      // Woken by the thread that runs JavaScript, and often beside it: that one goes on first. Its system calls are
      // outside of the lock, which that one wants next.
      std::optional<DeferentialWait> deferential;
      if (!has_waiting()) deferential.emplace();
      std::unique_lock<std::mutex> lock(mutex_);
      if (!Take(lock, job) && threads_ > usual_) {
        // Threads beyond the usual number go away again once there is nothing to do.
        threads_--;
        return;
      }
    }
    if (job) job();
  }
}

}  // namespace argv_spawn
