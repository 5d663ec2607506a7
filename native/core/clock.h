// Time, as the engine takes it. Implemented once per OS folder (clock.cc).
#pragma once

#include <cstdint>

namespace argv_spawn {

// The clock of every deadline: monotonic, in nanoseconds.
uint64_t NowNs();
// Milliseconds since 1970, UTC.
double WallClockMs();

}  // namespace argv_spawn
