// A program of its own: sends CTRL_C or CTRL_BREAK to other consoles than its own.
//
// usage: argv-spawn-console-event EVENT HOST PID...      EVENT: 0 CTRL_C, 1 CTRL_BREAK
//
// An event goes to the console that its sender is on, and a process is on one console at most. So this is not done in
// the host, which would leave its own console for a moment, for all of its threads. Each PID's console gets one event;
// a console that HOST is on gets none. The exit code is the number of consoles that got one.
//
// Whoever starts this lets it inherit a handle to each process, so that their numbers stay theirs.
#include <windows.h>

#include <algorithm>
#include <cwchar>
#include <vector>

namespace {

constexpr DWORD kReceiptMs = 1000;

HANDLE g_received;

// Own thread. The event comes to us as well, and must not end us.
BOOL WINAPI OnEvent(DWORD) {
  SetEvent(g_received);
  return TRUE;
}

std::vector<DWORD> ListOnConsole() {
  std::vector<DWORD> pids(64);
  for (;;) {
    const DWORD count = GetConsoleProcessList(pids.data(), static_cast<DWORD>(pids.size()));
    const bool whole = count <= pids.size();
    pids.resize(count);
    if (whole) return pids;
  }
}

bool Contains(const std::vector<DWORD>& list, DWORD pid) {
  return std::find(list.begin(), list.end(), pid) != list.end();
}

// On the console of another process. Whether the event was sent.
bool SendToThisConsole(DWORD event) {
  // Attaching has taken the handlers away (AttachConsole).
  if (SetConsoleCtrlHandler(OnEvent, TRUE) == 0) return false;
  ResetEvent(g_received);
  if (GenerateConsoleCtrlEvent(event, 0) == 0) return false;
  // What has come back to us has reached the others.
  WaitForSingleObject(g_received, kReceiptMs);
  return true;
}

}  // namespace

int wmain(int argc, wchar_t** argv) {
  if (argc < 4) return 0;
  g_received = CreateEventW(nullptr, TRUE, FALSE, nullptr);
  if (g_received == nullptr) return 0;
  FreeConsole();
  const DWORD event = std::wcstoul(argv[1], nullptr, 10);
  const DWORD host = std::wcstoul(argv[2], nullptr, 10);
  std::vector<DWORD> served;
  int consoles = 0;
  for (int i = 3; i < argc; i++) {
    const DWORD pid = std::wcstoul(argv[i], nullptr, 10);
    if (Contains(served, pid) || AttachConsole(pid) == 0) continue;
    const std::vector<DWORD> here = ListOnConsole();
    served.insert(served.end(), here.begin(), here.end());
    if (!Contains(here, host) && SendToThisConsole(event)) consoles++;
    FreeConsole();
    // A system that does not say who is there (Wine): the same console must not get a second event.
    if (here.empty()) break;
  }
  return consoles;
}
