// Throwing bytes of a pipe away without reading them.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace argv_spawn {

// Drops up to `most` bytes that are in the pipe now: how many went; 0 when there is no such way here. Service thread.
size_t SkipInPipe(int fd, size_t most);

}  // namespace argv_spawn
