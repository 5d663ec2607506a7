// Making descriptors: pipes, and keeping our own away from 0, 1 and 2.
#pragma once

#include <cstdint>
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

// Makes a pipe carry a MiB, so that its two sides need each other less often. For a pipe that has shown to be busy: the
// kernel limits how much pipe memory one user may have (pipe(7), pipe-user-pages-soft), and then leaves it as it is.
void EnlargePipe(int fd);
constexpr uint64_t kBusyPipe = 128 * 1024;  // what it has carried by then

// Every descriptor open in this process.
std::vector<int> OpenDescriptors();

}  // namespace argv_spawn
