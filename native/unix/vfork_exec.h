// vfork and exec. Of the keeper: about a third cheaper than posix_spawn, because the keeper itself puts signals in
// order and there is nothing to prepare.
#pragma once

#include <sys/types.h>

#include <vector>

#include "unix/spawn_call.h"

namespace argv_spawn {

// What the child exits with when exec failed.
constexpr int kNoExec = 127;

// Like SpawnOnce, with two differences: signals that the host ignores stay ignored in the program, and ENOSYS or EPERM
// may mean that a step is refused here which posix_spawn does not need. Only on a thread that has every signal
// blocked: a handler would run in the memory of this process.
int VforkExec(pid_t& pid, const SpawnCall& call, const std::vector<char*>& argv, const std::vector<char*>& env);

// All that SpawnOnce promises, for C libraries whose posix_spawn cannot enter a folder. Threads as above. A descriptor
// that another thread opens without close-on-exec during the call can get into the program on Linux before 5.9.
int VforkSpawn(pid_t& pid, const SpawnCall& call, const std::vector<char*>& argv, const std::vector<char*>& env);

}  // namespace argv_spawn
