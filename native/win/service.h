// The one service thread of the process: it takes every completion, every exit and every deadline of every run from one
// completion port.
//
// Why one thread and not one per child or per environment: 500 children cost 500 table entries, deadlines hold while
// JavaScript is blocked, and a run outlives the environment that asked for it until it has been ended.
// What it must never do: block, except in GetQueuedCompletionStatusEx.
#pragma once

#include <windows.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "core/failure.h"
#include "core/service_loop.h"
#include "win/handle.h"

namespace argv_spawn {

class Run;

// What a completion key of a run stands for.
enum class Source : uint64_t { kExit = 0, kJob = 1, kConsoleEvent = 2 };

class Service final : public ServiceLoop {
 public:
  // The process's only one; never destroyed, since its thread never ends.
  static Service& Get();
  // The same for who shares loops; it counts nothing.
  static std::shared_ptr<ServiceLoop> Shared() { return {std::shared_ptr<void>(), &Get()}; }

  // Any thread. Starts what is missing; says why it cannot.
  std::optional<Failure> EnsureStarted();
  // Any thread: the completions of Operations on `handle` come here. False: refused.
  bool Associate(HANDLE handle);
  HANDLE port() const { return port_.get(); }

  // Service thread.
  // `token` is dispatched when `process` has ended. False: refused.
  bool WatchExit(Token token, HANDLE process, HANDLE& wait);

 private:
  Service() = default;
  void Main();
  void Wake() override;
  void Dispatch(const OVERLAPPED_ENTRY& entry);
  void DispatchToRun(Token token, uint32_t message);
  DWORD WaitMilliseconds();

  UniqueHandle port_;
  std::mutex start_mutex_;
  bool started_ = false;
};

}  // namespace argv_spawn
