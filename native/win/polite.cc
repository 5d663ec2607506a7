#include "win/polite.h"

#include <algorithm>
#include <string>

#include "win/attributes.h"

namespace argv_spawn {

namespace {

struct Search {
  const std::vector<DWORD>& processes;
  int asked;
};

BOOL CALLBACK VisitWindow(HWND window, LPARAM argument) {
  auto* search = reinterpret_cast<Search*>(argument);
  DWORD owner = 0;
  GetWindowThreadProcessId(window, &owner);
  const auto& processes = search->processes;
  const bool theirs = std::find(processes.begin(), processes.end(), owner) != processes.end();
  // Hidden windows are message sinks of libraries; the console's own window belongs to its host process.
  if (theirs && IsWindowVisible(window) && PostMessageW(window, WM_CLOSE, 0, 0) != 0) search->asked++;
  return TRUE;
}

// A command line has room for so many numbers; a tree with more of them hardly has more consoles.
constexpr size_t kMostProcesses = 1000;

std::wstring FindEventProgram() {
  HMODULE module = nullptr;
  GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                     reinterpret_cast<LPCWSTR>(reinterpret_cast<void*>(&FindEventProgram)), &module);
  std::wstring path(32768, L'\0');
  path.resize(GetModuleFileNameW(module, path.data(), static_cast<DWORD>(path.size())));
  return path.substr(0, path.find_last_of(L'\\') + 1) + L"argv-spawn-console-event.exe";
}

}  // namespace

int CloseWindows(const std::vector<DWORD>& processes) {
  Search search{processes, 0};
  EnumWindows(VisitWindow, reinterpret_cast<LPARAM>(&search));
  return search.asked;
}

UniqueHandle StartConsoleEvent(DWORD event, const std::vector<UniqueHandle>& processes) {
  const std::wstring program = FindEventProgram();
  std::wstring line = L"\"" + program + L"\" " + std::to_wstring(event) + L" " + std::to_wstring(GetCurrentProcessId());
  std::vector<HANDLE> handles;
  for (const UniqueHandle& process : processes) {
    if (handles.size() == kMostProcesses) break;
    handles.push_back(process.get());
    line += L" " + std::to_wstring(GetProcessId(process.get()));
  }
  AttributeList attributes;
  if (handles.empty() || !attributes.Open(1) ||
      !attributes.Set(PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles.data(), handles.size() * sizeof(HANDLE))) {
    return UniqueHandle();
  }
  STARTUPINFOEXW startup{};
  startup.StartupInfo.cb = sizeof startup;
  startup.lpAttributeList = attributes.get();
  PROCESS_INFORMATION made{};
  // Without a console of its own: it goes from one to another.
  constexpr DWORD kFlags = EXTENDED_STARTUPINFO_PRESENT | DETACHED_PROCESS;
  if (CreateProcessW(program.c_str(), line.data(), nullptr, nullptr, TRUE, kFlags, nullptr, nullptr,
                     &startup.StartupInfo, &made) == 0) {
    return UniqueHandle();
  }
  CloseHandle(made.hThread);
  return UniqueHandle(made.hProcess);
}

}  // namespace argv_spawn
