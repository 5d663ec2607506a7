#include <cerrno>

#include "unix/pidfd.h"

namespace argv_spawn::pidfd {

namespace {
int Missing() {
  errno = ENOSYS;
  return -1;
}
}  // namespace

bool Probe() { return false; }
bool ProbeGroupSignal() { return false; }
int Open(pid_t) { return Missing(); }
int Wait(int, siginfo_t*, int) { return Missing(); }
int Signal(int, int) { return Missing(); }
int SignalGroup(int, int) { return Missing(); }
bool StatusAfterReap(int, int*) { return false; }

}  // namespace argv_spawn::pidfd
