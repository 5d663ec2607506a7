// The polite step of ending a tree, as far as Windows has one.
#pragma once

#include <windows.h>

#include <vector>

namespace argv_spawn {

// Asks the top-level windows of these processes to close (WM_CLOSE). How many were asked.
int CloseWindows(const std::vector<DWORD>& processes);

}  // namespace argv_spawn
