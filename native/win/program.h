// Finding the program: our own lookup, once, before anything is started. CreateProcessW gets an absolute path and
// cannot search.
//
//   name            PATH                  looked at
//   C:\x\tool.exe   (any)                 C:\x\tool.exe
//   .\tool, a/b     (any)                 <base>\tool.exe, <base>\tool.com, batch kinds, <base>\tool
//   tool            C:\x;bin;"C:\y"       C:\x\tool.exe ..., C:\y\tool.exe ...; empty and relative entries are skipped
//   C:tool          (any)                 refused: it depends on the current folder of a drive
//
// Never the current directory, never the folder of the host's own program. What is found is judged by its normalised
// name; a batch file is refused, or taken apart when it is a launcher that is known and that was asked for.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/failure.h"

namespace argv_spawn {

struct ProgramQuery {
  std::string name;
  std::optional<std::string> base;
  std::optional<std::string> path;  // the PATH the child will get
  std::string pathext;              // the child's; empty: the default
  bool resolve_shims = false;
  const std::string* env = nullptr;  // the child's, which only launchers need
};

struct FoundProgram {
  std::string path;                                            // absolute, normalised
  std::vector<std::string> arguments;                          // of a launcher, before the caller's
  std::vector<std::pair<std::string, std::string>> variables;  // of a launcher; "%NAME%" stands for the old value
  bool through_shim = false;
};

Result<FoundProgram> FindProgram(const ProgramQuery& query);

// Absolute form by Windows' own rules: slashes, dots, trailing dots and spaces.
std::wstring FullPath(const std::wstring& path);

// The form of a full path that file functions take whatever its length.
std::wstring LongForm(const std::wstring& path);

}  // namespace argv_spawn
