// Looking at other processes, to report them. Reading only: nothing found here is ever signalled by its number.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace argv_spawn {

struct ProcessInfo {
  pid_t pid = 0;
  std::string name;
  bool dead = false;             // a zombie that only waits to be reaped, or about to be one
  bool uninterruptible = false;  // in a system call that no signal ends
  bool other_user = false;       // runs as someone whom this process may not signal
};

// Whether /proc shows this process under its own number: not where it is not mounted, nor where a namespace of
// processes was entered without mounting it anew. Then nothing is found below, rather than somebody else.
bool CanSeeProcesses();

// Nothing when there is no such process.
std::optional<ProcessInfo> DescribeProcess(pid_t pid);

// Members of a process group, the leader included.
std::vector<ProcessInfo> GroupMembers(pid_t group);

// Children of `root`, their children, and so on, the dead ones included; a moving tree may be seen in part.
std::vector<ProcessInfo> Descendants(pid_t root);

// Whether the process holds the other end of one of the pipes behind our descriptors `fds`.
bool HoldsPipeOf(pid_t pid, const std::vector<int>& fds);

// Processes other than this one that do. Looks at every descriptor of every process there is.
std::vector<ProcessInfo> PipeHolders(const std::vector<int>& fds);

}  // namespace argv_spawn
