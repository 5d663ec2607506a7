// The two facts of an ELF file that explain a failed exec: its loader and its machine.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace argv_spawn {

// PT_INTERP of the file; nothing for a file that is not ELF or has none.
std::optional<std::string> ReadElfLoader(const std::string& path);

// "ELF for aarch64" for an ELF head, else "".
std::string DescribeElf(std::string_view head);

}  // namespace argv_spawn
