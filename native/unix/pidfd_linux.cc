// Numbers of calls and flags are written out where the oldest supported C library lacks them; sources:
// include/uapi/linux/pidfd.h, include/uapi/linux/wait.h, and the generic system call table.
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "unix/fd.h"
#include "unix/pidfd.h"

namespace argv_spawn::pidfd {

namespace {

constexpr long kPidfdSendSignal = 424;
constexpr long kPidfdOpen = 434;
constexpr int kWaitByPidfd = 3;                    // P_PIDFD
constexpr unsigned kSignalProcessGroup = 1u << 2;  // PIDFD_SIGNAL_PROCESS_GROUP

struct PidfdInfo {  // struct pidfd_info, first published size
  uint64_t mask;
  uint64_t cgroup;
  uint32_t ids[11];
  int32_t exit_code;
};
constexpr uint64_t kInfoExit = 1u << 3;  // PIDFD_INFO_EXIT
constexpr unsigned long kGetInfo = _IOWR(0xFF, 11, PidfdInfo);

}  // namespace

int Open(pid_t pid) { return static_cast<int>(syscall(kPidfdOpen, pid, 0)); }

int Wait(int fd, siginfo_t* info, int options) {
  return waitid(static_cast<idtype_t>(kWaitByPidfd), static_cast<id_t>(fd), info, options);
}

int Signal(int fd, int signal) { return static_cast<int>(syscall(kPidfdSendSignal, fd, signal, nullptr, 0)); }

int SignalGroup(int fd, int signal) {
  return static_cast<int>(syscall(kPidfdSendSignal, fd, signal, nullptr, kSignalProcessGroup));
}

bool StatusAfterReap(int fd, int* status) {
  PidfdInfo info{};
  info.mask = kInfoExit;
  if (ioctl(fd, kGetInfo, &info) != 0 || (info.mask & kInfoExit) == 0) return false;
  *status = info.exit_code;
  return true;
}

bool Probe() {
  UniqueFd self(Open(getpid()));
  if (!self) return false;
  siginfo_t info{};
  // We are not our own child, so the only right answer is ECHILD; a kernel without P_PIDFD says EINVAL.
  if (Wait(self.get(), &info, WEXITED | WNOHANG) == 0 || errno != ECHILD) return false;
  return Signal(self.get(), 0) == 0;
}

bool ProbeGroupSignal() {
  UniqueFd self(Open(getpid()));
  // Signal 0 reaches nobody; ESRCH when this process leads no group.
  return self && (SignalGroup(self.get(), 0) == 0 || errno == ESRCH);
}

}  // namespace argv_spawn::pidfd
