// Finding the program: our own lookup, once, before anything is started.
//
//   name         PATH                 looked at
//   /bin/echo    (any)                /bin/echo
//   ./tool, a/b  (any)                <base>/./tool, <base>/a/b; base is the child's folder
//   tool         /x::bin:/y           /x/tool, /y/tool; empty and relative entries are skipped, and said so
//   tool         (unset)              nothing
//
// A directory or a file without execute permission is passed over and remembered for the error.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/failure.h"

namespace argv_spawn {

struct ProgramQuery {
  std::string_view name;
  const std::optional<std::string>& base;
  std::optional<std::string_view> path;  // the PATH the child will get
};

// An absolute path. For a name with a slash nothing is checked: exec has the last word.
Result<std::string> FindProgram(const ProgramQuery& query);

// The same, and a path that was given is checked too: for answering what would run, without running it.
Result<std::string> FindExistingProgram(const ProgramQuery& query);

}  // namespace argv_spawn
