// vfork and exec of the keeper: about a third cheaper than posix_spawn, because the keeper itself puts signals in
// order and there is nothing to prepare.
#pragma once

#include <sys/types.h>

#include <vector>

#include "unix/spawn_call.h"

namespace argv_spawn {

// Like SpawnOnce, with two differences: signals that the host ignores stay ignored in the program, and ENOSYS or EPERM
// may mean that a step is refused here which posix_spawn does not need. Only on a thread that has every signal
// blocked: a handler would run in the memory of this process.
int VforkExec(pid_t& pid, const SpawnCall& call, const std::vector<char*>& argv, const std::vector<char*>& env);

}  // namespace argv_spawn
