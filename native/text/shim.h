// Launchers that package managers write for Windows (npm's and pnpm's cmd-shim, yarn's), and the npm.cmd and npx.cmd
// that come with Node, read as data: which program they start, with which arguments in front of the caller's. Pure.
//
// Strict on purpose: every line must have one of a few known forms, and what may vary in it is text without any
// meaning to cmd.exe. A file with anything else is not a shim, however much of it looks like one: it is a batch file,
// and is refused like any other.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace argv_spawn {

// A word of the command. `beside` words are paths that start at the folder of the launcher ("%~dp0\x", "%dp0%\x").
struct ShimWord {
  bool beside = false;
  std::string text;
};

struct ShimVariable {
  std::string name;
  std::string value;
  bool keeps_old = false;  // value;%NAME% when the variable exists
};

struct Shim {
  ShimWord program;                      // a path beside the launcher, or a bare name to look up in PATH
  std::optional<ShimWord> program_here;  // taken instead when it exists: node.exe beside the launcher
  std::vector<ShimWord> arguments;       // before the caller's
  std::vector<ShimVariable> variables;
  // npm.cmd and npx.cmd: this file below npm's global folder takes the place of the first argument when it exists.
  std::string global_script;
};

// Nothing when `content` is not exactly such a launcher.
std::optional<Shim> ParseShim(std::string_view content);

}  // namespace argv_spawn
