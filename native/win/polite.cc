#include "win/polite.h"

#include <algorithm>

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

}  // namespace

int CloseWindows(const std::vector<DWORD>& processes) {
  Search search{processes, 0};
  EnumWindows(VisitWindow, reinterpret_cast<LPARAM>(&search));
  return search.asked;
}

}  // namespace argv_spawn
