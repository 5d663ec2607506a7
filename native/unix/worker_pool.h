// Threads for what may block: starting programs, and writing tee files. JavaScript never waits for either, and neither
// does the thread that keeps the deadlines: a program on a dead network share holds up one thread and nothing else.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>

namespace argv_spawn {

class WorkerPool {
 public:
  // `name` as for StartThread. `usual` threads are started when they are needed first, and stay; more come while all
  // are stuck, and go again.
  WorkerPool(const char* name, int usual) : name_(name), usual_(usual) {}

  // Any thread. 0, or why no thread can be had to run the job, which is then dropped.
  int Submit(std::function<void()> job);
  // Service thread, now and then while jobs wait: adds a thread when all are stuck.
  void GrowIfStuck();
  bool has_waiting() const { return waiting_.load(std::memory_order_relaxed) != 0; }

 private:
  int StartOne();  // mutex_ held
  void Main();
  // False: there was nothing to do for a while.
  bool Take(std::unique_lock<std::mutex>& lock, std::function<void()>& job);

  const char* const name_;
  const int usual_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  std::atomic<size_t> waiting_{0};  // jobs_.size(), for who only wants to know
  int threads_ = 0;
  int idle_ = 0;
  uint64_t last_taken_ = 0;  // when a job was last taken from the queue
};

}  // namespace argv_spawn
