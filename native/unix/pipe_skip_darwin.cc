#include "unix/pipe_skip.h"

namespace argv_spawn {

size_t SkipInPipe(int, size_t) { return 0; }

}  // namespace argv_spawn
