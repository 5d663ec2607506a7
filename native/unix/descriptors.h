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

// Descriptors below this are what a new process gets under their numbers (standard streams, the keeper's two pipes):
// none of ours stands there, or the dup2 of one would overwrite the source of another.
constexpr int kFirstFree = 5;

// In place of a standard stream: the keeper's pipes, and no stream at all.
constexpr int kNoStream = -1;
constexpr int kKeeperCommands = 3;  // the keeper reads
constexpr int kKeeperReports = 4;   // the keeper writes

// A real pipe for standard stream `stream` (0: the child reads). Both ends are close-on-exec; our end, and
// only ours, is non-blocking.
Result<PipeEnds> OpenPipe(int stream);

// The same object at kFirstFree or above: a host that was started with closed standard streams hands out 0, 1 and 2.
Result<UniqueFd> MoveAboveStdio(UniqueFd fd, int stream);

// Every descriptor open in this process.
std::vector<int> OpenDescriptors();

}  // namespace argv_spawn
