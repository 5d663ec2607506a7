// argv as a Windows command line, for programs that take it apart with CommandLineToArgvW or the Microsoft C runtime.
//
// The rule that is inverted ("Parsing C command-line arguments", Microsoft):
//   2n   backslashes, then "    n backslashes, and the quote delimits
//   2n+1 backslashes, then "    n backslashes, and a literal quote
//   backslashes elsewhere       themselves
// argv[0] has no escapes at all: it ends at the next quote. So it is always quoted and may not have a quote in it.
//
// cmd.exe takes a line apart differently and is never given one made here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/failure.h"

namespace argv_spawn {

// CreateProcessW: lpCommandLine has at most 32,767 UTF-16 units, the closing NUL included.
constexpr int64_t kLongestLine = 32767 - 1;
// cmd.exe: "the maximum length of the string that you can use at the command prompt is 8191 characters".
constexpr int64_t kLongestBatchLine = 8191;

void AppendQuoted(std::u16string& line, std::u16string_view argument);

// `argv` has at least the program. Fails with E2BIG and the sizes when the line has more than `limit` units, or when
// the program has a quote. The entry at fault is named when it is too long by itself.
Result<std::u16string> MakeCommandLine(const std::vector<std::u16string>& argv, int64_t limit);

}  // namespace argv_spawn
