// Environments as blocks of NUL-terminated entries.
#pragma once

#include <string>

namespace argv_spawn {

// `base` with `changes` applied in order: `NAME=value` sets (replacing in place, else added at the end), a bare `NAME`
// removes. An entry of `base` without `=` is kept as it is.
//
//   base            changes      result
//   A=1 B=2         B=3          A=1 B=3
//   A=1 B=2         A            B=2
//   A=1 A=2         A=3          A=3        (every duplicate goes)
//   (none)          A=1 A=2      A=2
std::string MergeEnvironment(std::string base, const std::string& changes);

}  // namespace argv_spawn
