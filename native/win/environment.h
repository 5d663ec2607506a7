// This process's environment, and names in environments: upper and lower case are one.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace argv_spawn {

// By the system's own upper-case table, one unit to one unit.
char16_t UpcaseUnit(char16_t unit);

// Value of the last entry with that name (given in upper case ASCII); nothing when there is none.
std::optional<std::string> FindInEnvironment(const std::string& block, std::string_view name);

}  // namespace argv_spawn
