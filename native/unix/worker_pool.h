// Threads for what may block: starting programs, and writing tee files. JavaScript never waits for either, and neither
// does the thread that keeps the deadlines: a program on a dead network share holds up one thread and nothing else.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>

namespace argv_spawn {

class PoolJob {
 public:
  virtual ~PoolJob() = default;
  // Thread of the pool.
  virtual void Do() = 0;
  // Any thread, once, when it has not been done within a second.
  virtual void OnLate() {}
};

class WorkerPool {
 public:
  // `name` as for StartThread. `usual` threads are started with the first job, and stay; more come while all are stuck,
  // and go again. `on_busy` runs on any thread when is_busy() has become true.
  WorkerPool(const char* name, int usual, void (*on_busy)()) : name_(name), usual_(usual), on_busy_(on_busy) {}

  // Any thread. 0, or why no thread can be had for the job, which is then dropped.
  int Submit(std::shared_ptr<PoolJob> job);
  // The same for a function.
  int Submit(std::function<void()> function);
  bool has_waiting() const { return waiting_.load(std::memory_order_relaxed) != 0; }

  // No thread is idle, so LookAround is wanted now and then. Any thread.
  bool is_busy() const { return busy_.load(); }
  // Any thread: adds a thread when all are stuck, and tells the jobs that are late.
  void LookAround();

 private:
  struct Entry {
    std::shared_ptr<PoolJob> job;
    uint64_t since;  // when it was submitted
    bool told = false;
  };
  using Entries = std::list<Entry>;

  int StartOne();  // mutex_ held
  void Main();
  // kJob: one has become the last of running_. kNothing: there was none for a while. kLeave: this thread is one too
  // many.
  enum class Taken { kJob, kNothing, kLeave };
  Taken Take(std::unique_lock<std::mutex>& lock);
  std::shared_ptr<PoolJob> NextLate();  // mutex_ held; one that has not been told yet
  void UpdateBusy();                    // mutex_ held, after a change of what it depends on

  const char* const name_;
  const int usual_;
  void (*const on_busy_)();
  std::mutex mutex_;
  std::condition_variable changed_;
  Entries jobs_;
  Entries running_;
  std::atomic<size_t> waiting_{0};  // jobs_.size(), for who only wants to know
  std::atomic<bool> busy_{false};
  int threads_ = 0;
  int idle_ = 0;
  uint64_t last_taken_ = 0;  // when a job was last taken from the queue
};

}  // namespace argv_spawn
