#include "unix/worker_pool.h"

#include <chrono>
#include <optional>
#include <utility>

#include "core/clock.h"
#include "unix/threads.h"

namespace argv_spawn {

namespace {

constexpr int kMost = 64;
constexpr uint64_t kStuckAfter = 50'000'000;    // nanoseconds without any progress
constexpr uint64_t kLateAfter = 1'000'000'000;  // nanoseconds
constexpr std::chrono::seconds kIdleSpan(1);

class FunctionJob final : public PoolJob {
 public:
  explicit FunctionJob(std::function<void()> function) : function_(std::move(function)) {}
  void Do() override { function_(); }

 private:
  const std::function<void()> function_;
};

}  // namespace

int WorkerPool::StartOne() {
  const int error = StartThread(name_, [this] { Main(); });
  if (error == 0) threads_++;
  return error;
}

int WorkerPool::Submit(std::shared_ptr<PoolJob> job) {
  const uint64_t now = NowNs();
  std::unique_lock<std::mutex> lock(mutex_);
  const int error = idle_ == 0 && threads_ < usual_ ? StartOne() : 0;
  if (threads_ == 0) return error;
  if (jobs_.empty()) last_taken_ = now;
  jobs_.push_back({std::move(job), now});
  waiting_.store(jobs_.size(), std::memory_order_relaxed);
  UpdateBusy();
  // Unlocked first: the thread that wakes up would only wait for the lock.
  lock.unlock();
  changed_.notify_one();
  return 0;
}

int WorkerPool::Submit(std::function<void()> function) {
  return Submit(std::make_shared<FunctionJob>(std::move(function)));
}

void WorkerPool::UpdateBusy() {
  const bool busy = idle_ == 0 && !(running_.empty() && jobs_.empty());
  if (busy == busy_.load(std::memory_order_relaxed)) return;
  busy_.store(busy);
  if (busy) on_busy_();
}

void WorkerPool::LookAround() {
  std::unique_lock<std::mutex> lock(mutex_);
  const bool stuck = !jobs_.empty() && idle_ == 0 && NowNs() - last_taken_ >= kStuckAfter;
  if (stuck && threads_ < kMost) StartOne();
  while (const std::shared_ptr<PoolJob> late = NextLate()) {
    lock.unlock();
    late->OnLate();
    lock.lock();
  }
}

std::shared_ptr<PoolJob> WorkerPool::NextLate() {
  const uint64_t now = NowNs();
  for (Entries* entries : {&running_, &jobs_}) {
    for (Entry& entry : *entries) {
      if (entry.told || now - entry.since < kLateAfter) continue;
      entry.told = true;
      return entry.job;
    }
  }
  return nullptr;
}

// Thread of the pool.
WorkerPool::Taken WorkerPool::Take(std::unique_lock<std::mutex>& lock) {
  if (jobs_.empty()) {
    idle_++;
    UpdateBusy();
    changed_.wait_for(lock, kIdleSpan, [this] { return !jobs_.empty(); });
    idle_--;
  }
  Taken taken = Taken::kNothing;
  if (!jobs_.empty()) {
    taken = Taken::kJob;
    running_.splice(running_.end(), jobs_, jobs_.begin());
    waiting_.store(jobs_.size(), std::memory_order_relaxed);
    last_taken_ = NowNs();
    // Somebody to look around, as long as this job does not end.
    if (idle_ == 0 && threads_ < usual_) StartOne();
  } else if (threads_ > usual_) {
    taken = Taken::kLeave;
    threads_--;
  }
  UpdateBusy();
  return taken;
}

// Thread of the pool.
void WorkerPool::Main() {
  for (;;) {
    Entries::iterator entry;
    {
      // Woken by the thread that runs JavaScript, and often beside it: that one goes on first. Its system calls are
      // outside of the lock, which that one wants next.
      std::optional<DeferentialWait> deferential;
      if (!has_waiting()) deferential.emplace();
      std::unique_lock<std::mutex> lock(mutex_);
      const Taken taken = Take(lock);
      if (taken == Taken::kLeave) return;
      if (taken == Taken::kNothing) {
        lock.unlock();
        LookAround();  // when the others are busy, who else should
        continue;
      }
      entry = std::prev(running_.end());
    }
    entry->job->Do();
    Entries done;  // let go of after the lock
    std::lock_guard<std::mutex> lock(mutex_);
    done.splice(done.end(), running_, entry);
  }
}

}  // namespace argv_spawn
