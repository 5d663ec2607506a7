#include "win/service.h"

#include <algorithm>
#include <utility>

#include "core/clock.h"
#include "core/request.h"
#include "win/operation.h"
#include "win/os_error.h"
#include "win/run.h"
#include "win/threads.h"

namespace argv_spawn {

namespace {

constexpr ULONG_PTR kOperationKey = 0;
constexpr ULONG_PTR kWakeKey = 1;
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

void Service::Wake() { PostQueuedCompletionStatus(port_.get(), 0, kWakeKey, nullptr); }

bool Service::Associate(HANDLE handle) {
  return CreateIoCompletionPort(handle, port_.get(), kOperationKey, 0) != nullptr;
}

bool Service::WatchExit(Token token, HANDLE process, HANDLE& wait) {
  return RegisterWaitForSingleObject(&wait, process, OnExitSignalled, reinterpret_cast<void*>(token), INFINITE,
                                     WT_EXECUTEONLYONCE | WT_EXECUTEINWAITTHREAD) != 0;
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
  const uint64_t span = TimerSpan();
  if (span == kNever) return INFINITE;
  constexpr uint64_t kMillisecond = 1'000'000;
  constexpr uint64_t kLongest = 24ULL * 3600 * 1000;
  return static_cast<DWORD>(std::min((span + kMillisecond - 1) / kMillisecond, kLongest));
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
  const std::shared_ptr<Member> member = Find(token);
  if (!member) return;
  Run& run = static_cast<Run&>(*member);
  switch (static_cast<Source>(SourceOf(token))) {
    case Source::kExit:
      run.OnExitSignalled();
      return;
    case Source::kJob:
      if (message == JOB_OBJECT_MSG_ACTIVE_PROCESS_ZERO) run.OnJobEmpty();
      return;
    case Source::kConsoleEvent:
      run.OnEventExit();
      return;
  }
}

}  // namespace argv_spawn
