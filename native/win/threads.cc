#include "win/threads.h"

#include <windows.h>

#include <memory>

#include "win/handle.h"

namespace argv_spawn {

namespace {

constexpr SIZE_T kStackSize = 512 * 1024;

struct Start {
  const wchar_t* name;
  std::function<void()> main;
};

// Windows 10 1607; only a debugger's help.
void NameThisThread(const wchar_t* name) {
  using SetDescription = HRESULT(WINAPI*)(HANDLE, PCWSTR);
  const FARPROC found = GetProcAddress(GetModuleHandleW(L"kernel32.dll"), "SetThreadDescription");
  if (found == nullptr) return;
  reinterpret_cast<SetDescription>(reinterpret_cast<void*>(found))(GetCurrentThread(), name);
}

DWORD WINAPI ThreadMain(void* argument) {
  std::unique_ptr<Start> start(static_cast<Start*>(argument));
  NameThisThread(start->name);
  start->main();
  return 0;
}

void CALLBACK PoolMain(PTP_CALLBACK_INSTANCE instance, void* argument) {
  std::unique_ptr<std::function<void()>> job(static_cast<std::function<void()>*>(argument));
  // A program on a dead network share must not hold up the others: the pool then adds threads.
  CallbackMayRunLong(instance);
  (*job)();
}

}  // namespace

bool StartThread(const wchar_t* name, std::function<void()> main) {
  auto start = std::make_unique<Start>(Start{name, std::move(main)});
  const UniqueHandle thread(
      CreateThread(nullptr, kStackSize, ThreadMain, start.get(), STACK_SIZE_PARAM_IS_A_RESERVATION, nullptr));
  if (!thread) return false;
  start.release();  // owned by the thread now
  return true;
}

bool RunOnPool(std::function<void()> job) {
  auto owned = std::make_unique<std::function<void()>>(std::move(job));
  if (TrySubmitThreadpoolCallback(PoolMain, owned.get(), nullptr) == 0) return false;
  owned.release();  // owned by the callback now
  return true;
}

void PinLibrary() {
  HMODULE module;
  GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN,
                     reinterpret_cast<LPCWSTR>(reinterpret_cast<void*>(&PinLibrary)), &module);
}

}  // namespace argv_spawn
