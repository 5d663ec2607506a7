// One pipe for one standard stream: our end overlapped and never inherited, the child's end synchronous, since
// programs expect that of their standard handles.
#pragma once

#include "core/failure.h"
#include "win/handle.h"

namespace argv_spawn {

struct PipeEnds {
  UniqueHandle ours;
  UniqueHandle child;  // inheritable
};

// `stream` is 0, 1 or 2: the direction follows from it.
Result<PipeEnds> OpenPipe(int stream);

const char* StreamName(int stream);

}  // namespace argv_spawn
