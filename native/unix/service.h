// The one service thread of the process: it turns the loop of every run that nobody waits for in a blocking call.
//
// Why one thread and not one per child or per environment: 500 children cost 500 table entries, deadlines hold while
// JavaScript is blocked, and a run outlives the environment that asked for it until it has been ended and reaped.
// What it must never do: block, except in Turn.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <vector>

#include "core/failure.h"
#include "unix/run_loop.h"
#include "unix/worker_pool.h"

namespace argv_spawn {

class Run;

class Service final : public RunLoop {
 public:
  // The process's only one; never destroyed, since its threads never end.
  static Service& Get();
  // The same for who shares loops; it counts nothing.
  static std::shared_ptr<RunLoop> Shared() { return {std::shared_ptr<void>(), &Get()}; }

  // Any thread. Starts what is missing; says why it cannot.
  std::optional<Failure> EnsureStarted();

  WorkerPool& spawners() { return spawners_; }
  WorkerPool& tee_writers() { return tee_writers_; }

  // Held shared around every start, from before posix_spawn until the child is in `living_`, so that an exiting process
  // can be certain that it knows all its children.
  std::shared_timed_mutex& start_gate() { return start_gate_; }
  // The process is exiting: whoever has the gate must start nothing and let go of it.
  bool is_closing() const { return closing_.load(); }
  // Children to be ended when the process exits. Any thread.
  void AddLiving(Run& run);
  void RemoveLiving(Run& run);
  // atexit: ends every tree that is still ours.
  void EndAllAtExit();

 private:
  Service() = default;
  void Main();
  bool ExpectsStarts() override;
  bool WatchPools();
  static void OnPoolBusy();  // any thread

  // Two keep both ends busy: one prepares while the other waits for an exec.
  WorkerPool spawners_{"argv-spawn-exec", 2, OnPoolBusy};
  WorkerPool tee_writers_{"argv-spawn-tee", 1, OnPoolBusy};
  std::atomic<bool> watches_pools_{false};
  uint64_t watches_until_ = 0;  // service thread

  std::mutex start_mutex_;
  bool started_ = false;

  std::shared_timed_mutex start_gate_;
  std::atomic<bool> closing_{false};
  std::mutex living_mutex_;
  std::set<Run*> living_;
};

}  // namespace argv_spawn
