// One posix_spawn with everything a program of ours gets: standard streams and nothing else open, every signal at its
// default, none blocked.
//
// SETSID and never SETPGROUP: together they fail with EPERM. The folder is entered by descriptor, so that the check of
// it and its use are one.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace argv_spawn {

struct SpawnCall {
  std::string path;      // absolute: there is no search and no shell
  std::vector<int> fds;  // what becomes 0, 1, 2, ...; each one kFirstFree or above, so that no copy meets its source
  int cwd = -1;          // -1: the host's
  bool new_session = true;
};

// 0, or the errno of whatever failed: posix_spawn does not say which step.
int SpawnOnce(pid_t& pid, const SpawnCall& call, const std::vector<char*>& argv, const std::vector<char*>& env);

// Descriptors that are not passed are closed in the child by one file action instead of one for each open here.
bool HasCloseFrom();

}  // namespace argv_spawn
