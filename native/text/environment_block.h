// Environments as blocks of NUL-terminated entries.
#pragma once

#include <string>

namespace argv_spawn {

// Upper case of one UTF-16 unit, by the operating system's own table.
using Upcase = char16_t (*)(char16_t);

// `base` with `changes` applied in order: `NAME=value` sets (replacing in place, else added at the end), a bare `NAME`
// removes. An entry of `base` without `=` is kept as it is.
//
//   base            changes      result
//   A=1 B=2         B=3          A=1 B=3
//   A=1 B=2         A            B=2
//   A=1 A=2         A=3          A=3        (every duplicate goes)
//   (none)          A=1 A=2      A=2
//
// With `upcase` names that differ in case only are one name, and the last spelling wins:
//   Path=x          PATH=y       PATH=y
std::string MergeEnvironment(std::string base, const std::string& changes, Upcase upcase = nullptr);

// The block that CreateProcessW takes: one entry for a name whatever its case (the last one given wins), sorted by the
// upper-cased name unit by unit, ended by a second NUL even when it is empty. "=C:=C:\dir" entries are kept.
std::u16string MakeWindowsBlock(const std::string& entries, Upcase upcase);

}  // namespace argv_spawn
