#include "win/service.h"

#include <algorithm>
#include <utility>

#include "core/request.h"
#include "win/clock.h"
#include "win/operation.h"
#include "win/os_error.h"
#include "win/run.h"
#include "win/threads.h"

namespace argv_spawn {

namespace {

constexpr ULONG_PTR kOperationKey = 0;
constexpr ULONG_PTR kWakeKey = 1;
constexpr int kSourceBits = 2;
constexpr int kGenerationShift = 32;
constexpr ULONG kAtOnce = 64;

static_assert(sizeof(ULONG_PTR) >= sizeof(Token), "a token must fit a completion key: 64-bit Windows only");

// Pool thread, once. The parameter is a token and no pointer: nothing can be gone by now.
void CALLBACK OnExitSignalled(void* token, BOOLEAN) {
  PostQueuedCompletionStatus(Service::Get().port(), 0, reinterpret_cast<ULONG_PTR>(token), nullptr);
}

}  // namespace

Service& Service::Get() {
  static auto* service = new Service();
  return *service;
}

std::optional<Failure> Service::EnsureStarted() {
  std::lock_guard<std::mutex> lock(start_mutex_);
  if (started_) return std::nullopt;
  if (!port_) {
    port_ = UniqueHandle(CreateIoCompletionPort(INVALID_HANDLE_VALUE, nullptr, 0, 1));
    if (!port_) return OsFailure(Stage::kSetup, "CreateIoCompletionPort", "host", "", GetLastError());
  }
  PinLibrary();
  if (!StartThread(L"argv-spawn", [this] { Main(); })) {
    return OsFailure(Stage::kSetup, "CreateThread", "host", "", GetLastError());
  }
  started_ = true;
  return std::nullopt;
}

void Service::Post(std::function<void()> task) {
  bool first;
  {
    std::lock_guard<std::mutex> lock(tasks_mutex_);
    first = tasks_.empty();
    tasks_.push_back(std::move(task));
  }
  if (first) PostQueuedCompletionStatus(port_.get(), 0, kWakeKey, nullptr);
}

bool Service::Associate(HANDLE handle) {
  return CreateIoCompletionPort(handle, port_.get(), kOperationKey, 0) != nullptr;
}

Token Service::MakeToken(const Run& run, Source source) {
  return (static_cast<Token>(run.generation) << kGenerationShift) | (static_cast<Token>(run.slot) << kSourceBits) |
         static_cast<Token>(source);
}

bool Service::WatchExit(const Run& run, Source source, HANDLE process, HANDLE& wait) {
  return RegisterWaitForSingleObject(&wait, process, OnExitSignalled, reinterpret_cast<void*>(MakeToken(run, source)),
                                     INFINITE, WT_EXECUTEONLYONCE | WT_EXECUTEINWAITTHREAD) != 0;
}

void Service::Attach(const std::shared_ptr<Run>& run) {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  run->slot = free_slots_.back();
  free_slots_.pop_back();
  Slot& slot = slots_[run->slot];
  run->generation = ++slot.generation;
  slot.run = run;
  run->timer = timers_.end();
}

void Service::Detach(Run& run) {
  SetTimer(run, kNever);
  Slot& slot = slots_[run.slot];
  slot.generation++;
  free_slots_.push_back(run.slot);
  // May be the last owner: `run` is not touched after this.
  const std::shared_ptr<Run> last = std::move(slot.run);
}

void Service::SetTimer(Run& run, uint64_t at) {
  if (run.timer != timers_.end()) {
    if (run.timer->first == at) return;
    timers_.erase(run.timer);
    run.timer = timers_.end();
  }
  if (at != kNever) run.timer = timers_.emplace(at, run.slot);
}

// Service thread, for ever.
void Service::Main() {
  OVERLAPPED_ENTRY entries[kAtOnce];
  for (;;) {
    ULONG count = 0;
    if (GetQueuedCompletionStatusEx(port_.get(), entries, kAtOnce, &count, WaitMilliseconds(), FALSE) == 0) count = 0;
    RunTasks();
    for (ULONG i = 0; i < count; i++) Dispatch(entries[i]);
    FireTimers();
  }
}

DWORD Service::WaitMilliseconds() {
  if (timers_.empty()) return INFINITE;
  const uint64_t now = NowNs();
  const uint64_t at = timers_.begin()->first;
  if (at <= now) return 0;
  constexpr uint64_t kMillisecond = 1'000'000;
  constexpr uint64_t kLongest = 24ULL * 3600 * 1000;
  return static_cast<DWORD>(std::min((at - now + kMillisecond - 1) / kMillisecond, kLongest));
}

void Service::RunTasks() {
  {
    std::lock_guard<std::mutex> lock(tasks_mutex_);
    running_tasks_.swap(tasks_);
  }
  for (auto& task : running_tasks_) task();
  running_tasks_.clear();
}

void Service::Dispatch(const OVERLAPPED_ENTRY& entry) {
  if (entry.lpCompletionKey == kWakeKey) return;
  if (entry.lpCompletionKey == kOperationKey) {
    // Internal holds the NTSTATUS of the operation; only success and its kind matter here.
    const auto status = static_cast<DWORD>(entry.lpOverlapped->Internal);
    Operation::Complete(entry.lpOverlapped, entry.dwNumberOfBytesTransferred, status);
    return;
  }
  DispatchToRun(entry.lpCompletionKey, entry.dwNumberOfBytesTransferred);
}

void Service::DispatchToRun(Token token, uint32_t message) {
  const auto generation = static_cast<uint32_t>(token >> kGenerationShift);
  const auto index = static_cast<uint32_t>((token & UINT32_MAX) >> kSourceBits);
  if (index >= slots_.size() || slots_[index].generation != generation || !slots_[index].run) return;  // stale
  const std::shared_ptr<Run> run = slots_[index].run;
  switch (static_cast<Source>(token & ((1U << kSourceBits) - 1))) {
    case Source::kExit:
      run->OnExit();
      return;
    case Source::kJob:
      if (message == JOB_OBJECT_MSG_ACTIVE_PROCESS_ZERO) run->OnJobEmpty();
      return;
    case Source::kConsoleEvent:
      run->OnEventExit();
      return;
  }
}

void Service::FireTimers() {
  if (timers_.empty()) return;
  const uint64_t now = NowNs();
  while (!timers_.empty() && timers_.begin()->first <= now) {
    const std::shared_ptr<Run> run = slots_[timers_.begin()->second].run;
    timers_.erase(timers_.begin());
    run->timer = timers_.end();
    run->OnTime(now);
  }
}

}  // namespace argv_spawn
