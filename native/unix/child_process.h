// One child by identity, not by number: how its exit is seen, how it is signalled, how it is reaped.
//
// The child stays unreaped from its exit until Reap(): as long as it is, its process id and its process group id
// cannot be given to anyone else, so signals sent meanwhile can only reach the child and its group. Not thread-safe;
// run.cc holds a lock around every call.
#pragma once

#include <sys/types.h>

#include <optional>

#include "core/event.h"
#include "unix/fd.h"

namespace argv_spawn {

// Whether this kernel and this sandbox offer pidfds (Linux 5.4: pidfd_open and waitid by pidfd). Asked once.
bool HasPidfd();

// From the code and the status of a siginfo_t that waitid(2) has filled.
ExitState MakeExitState(int code, int status);

class ChildProcess {
 public:
  ChildProcess() = default;
  // The child exists and has not been reaped by us.
  ChildProcess(pid_t pid, bool leads_group);
  // A process that somebody else reaps, and that leads its group. Without a pidfd nothing is certain about it: it
  // counts as ended, and nobody is signalled.
  ChildProcess(pid_t pid, UniqueFd pidfd);

  pid_t pid() const { return pid_; }
  bool leads_group() const { return leads_group_; }
  bool is_foreign() const { return foreign_; }
  // Becomes readable at the exit. Empty: use WaitForExit on a thread of its own.
  int exit_fd() const { return pidfd_.get(); }

  // How the child ended, without reaping it; nothing while it runs.
  std::optional<ExitState> PeekExit();
  std::optional<Usage> Reap();
  bool reaped() const { return reaped_; }

  // 0 or errno. ESRCH once reaped.
  int SignalChild(int signal);
  // The whole process group, the child's own zombie included. Without a group of its own: the child alone.
  int SignalGroup(int signal);
  // SignalGroup stays certain after Reap: the group is then named by the pidfd, not by its number (Linux 6.9).
  bool group_outlives_reap() const;

 private:
  bool HasForeignEnded() const;

  pid_t pid_ = 0;
  bool leads_group_ = false;
  bool foreign_ = false;
  bool reaped_ = false;  // by us, or found to have been reaped by someone else in this process
  UniqueFd pidfd_;
};

// Blocks until the child has ended (without reaping it) or is not ours any more. Any thread.
void WaitForExit(pid_t pid);

}  // namespace argv_spawn
