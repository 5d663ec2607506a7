// Making descriptors: pipes, and keeping our own away from 0, 1 and 2.
#pragma once

#include <vector>

#include "core/failure.h"
#include "unix/fd.h"

namespace argv_spawn {

struct PipeEnds {
  UniqueFd read;
  UniqueFd write;
};

// A real pipe for standard stream `stream` (0: the child reads). Both ends are close-on-exec and above 2; our end, and
// only ours, is non-blocking.
Result<PipeEnds> OpenPipe(int stream);

// A host that was started with closed standard streams hands out 0, 1 and 2: a descriptor there would be overwritten
// by the dup2 of another stream.
Result<UniqueFd> MoveAboveStdio(UniqueFd fd, int stream);

// Every descriptor open in this process.
std::vector<int> OpenDescriptors();

}  // namespace argv_spawn
