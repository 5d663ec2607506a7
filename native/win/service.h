// The one service thread of the process: it takes every completion, every exit and every deadline of every run from one
// completion port.
//
// Why one thread and not one per child or per environment: 500 children cost 500 table entries, deadlines hold while
// JavaScript is blocked, and a run outlives the environment that asked for it until it has been ended.
// What it must never do: block, except in GetQueuedCompletionStatusEx.
#pragma once

#include <windows.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/failure.h"
#include "win/handle.h"

namespace argv_spawn {

class Run;

// What a completion key of a run stands for.
enum class Source : uint64_t { kExit = 0, kJob = 1, kConsoleEvent = 2 };

// generation (32 bits) | slot (30 bits) | source (2 bits); generations start at 1, so small numbers are free for keys
// that belong to no run.
using Token = uint64_t;

class Service {
 public:
  // The process's only one; never destroyed, since its thread never ends.
  static Service& Get();

  // Any thread. Starts what is missing; says why it cannot.
  std::optional<Failure> EnsureStarted();
  // Any thread: runs `task` on the service thread.
  void Post(std::function<void()> task);
  // Any thread: the completions of Operations on `handle` come here. False: refused.
  bool Associate(HANDLE handle);
  HANDLE port() const { return port_.get(); }

  // Service thread.
  // Gives the run a slot; it stays alive until Detach.
  void Attach(const std::shared_ptr<Run>& run);
  void Detach(Run& run);
  // Replaces the run's one timer; kNever takes it away.
  void SetTimer(Run& run, uint64_t at);
  static Token MakeToken(const Run& run, Source source);
  // One `source` of `run` when `process` has ended. False: refused.
  bool WatchExit(const Run& run, Source source, HANDLE process, HANDLE& wait);

 private:
  Service() = default;
  void Main();
  void RunTasks();
  void Dispatch(const OVERLAPPED_ENTRY& entry);
  void DispatchToRun(Token token, uint32_t message);
  void FireTimers();
  DWORD WaitMilliseconds();

  struct Slot {
    std::shared_ptr<Run> run;
    uint32_t generation = 0;
  };

  UniqueHandle port_;
  std::mutex start_mutex_;
  bool started_ = false;

  std::mutex tasks_mutex_;
  std::vector<std::function<void()>> tasks_;
  std::vector<std::function<void()>> running_tasks_;

  std::vector<Slot> slots_;
  std::vector<uint32_t> free_slots_;
  std::multimap<uint64_t, uint32_t> timers_;
};

}  // namespace argv_spawn
