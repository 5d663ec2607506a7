// The polite steps of ending a tree, as far as Windows has any.
#pragma once

#include <windows.h>

#include <vector>

#include "win/handle.h"

namespace argv_spawn {

// Asks the top-level windows of these processes to close (WM_CLOSE). How many were asked.
int CloseWindows(const std::vector<DWORD>& processes);

// Sends CTRL_C_EVENT or CTRL_BREAK_EVENT to the consoles of these processes, by a program of ours that lies beside the
// addon (native/console_event). The handles are inheritable: as long as that program has them, the numbers stay theirs.
// Starts a process, so not for the service thread. The process, whose exit code is the number of consoles; empty when
// it could not be started.
UniqueHandle StartConsoleEvent(DWORD event, const std::vector<UniqueHandle>& processes);

}  // namespace argv_spawn
