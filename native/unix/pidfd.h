// Linux process descriptors. On systems without them every call answers -1 with ENOSYS.
#pragma once

#include <signal.h>
#include <sys/types.h>

namespace argv_spawn::pidfd {

// Works here: open, wait and signal all answer as they should. Detects old kernels and system-call filters.
bool Probe();

// SignalGroup works here (Linux 6.9).
bool ProbeGroupSignal();

int Open(pid_t pid);                             // close-on-exec descriptor, or -1
int Wait(int fd, siginfo_t* info, int options);  // waitid(P_PIDFD)
int Signal(int fd, int signal);
int SignalGroup(int fd, int signal);        // every member of the group that the process leads, or led
bool StatusAfterReap(int fd, int* status);  // Linux 6.15

}  // namespace argv_spawn::pidfd
