// The one service thread of the process: it watches every pipe, every exit and every deadline of every run.
//
// Why one thread and not one per child or per environment: 500 children cost 500 table entries, deadlines hold while
// JavaScript is blocked, and a run outlives the environment that asked for it until it has been ended and reaped.
// What it must never do: block, except in Reactor::Wait.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <unordered_set>
#include <vector>

#include "core/failure.h"
#include "unix/reactor.h"
#include "unix/spawner.h"
#include "unix/tee.h"

namespace argv_spawn {

class Run;

// Which descriptor of a run a token stands for.
enum class Source : uint64_t { kTree = 0, kStdin = 1, kStdout = 2, kStderr = 3 };

class Service {
 public:
  // The process's only one; never destroyed, since its threads never end.
  static Service& Get();

  // Any thread. Starts what is missing; says why it cannot.
  std::optional<Failure> EnsureStarted();
  // Any thread: runs `task` on the service thread.
  void Post(std::function<void()> task);

  // Service thread.
  Reactor& reactor() { return reactor_; }
  TeeWriter& tee_writer() { return tee_writer_; }
  // Gives the run a slot; it stays alive until Detach.
  void Attach(const std::shared_ptr<Run>& run);
  void Detach(Run& run);
  // Replaces the run's one timer; kNever takes it away.
  void SetTimer(Run& run, uint64_t at);
  static Token MakeToken(const Run& run, Source source);

  Spawner& spawner() { return spawner_; }

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
  void RunTasks();
  void Dispatch(const Ready& ready);
  void FireTimers();
  uint64_t WaitSpan();

  struct Slot {
    std::shared_ptr<Run> run;
    uint32_t generation = 0;
  };

  Reactor reactor_;
  Spawner spawner_;
  TeeWriter tee_writer_;

  std::mutex start_mutex_;
  bool started_ = false;

  std::mutex tasks_mutex_;
  std::vector<std::function<void()>> tasks_;
  std::vector<std::function<void()>> running_tasks_;

  std::vector<Slot> slots_;
  std::vector<uint32_t> free_slots_;
  std::multimap<uint64_t, uint32_t> timers_;

  std::shared_timed_mutex start_gate_;
  std::atomic<bool> closing_{false};
  std::mutex living_mutex_;
  std::unordered_set<Run*> living_;
};

}  // namespace argv_spawn
