// vfork and exec, for C libraries whose posix_spawn cannot enter a folder.
#pragma once

#include <sys/types.h>

#include <vector>

#include "unix/spawn_call.h"

namespace argv_spawn {

// What the child exits with when exec failed.
constexpr int kNoExec = 127;

// All that SpawnOnce promises. A descriptor that another thread opens without close-on-exec during the call can get
// into the program on Linux before 5.9. Where vfork copies the memory (qemu-user) an error is not known here: the child
// then exits with kNoExec.
int VforkSpawn(pid_t& pid, const SpawnCall& call, const std::vector<char*>& argv, const std::vector<char*>& env);

}  // namespace argv_spawn
