// The npm.cmd and npx.cmd that come with Node, and the setting they look for. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace argv_spawn {

// What such a file starts with node: a path like "node_modules\npm\bin\npm-cli.js", the same below the launcher's
// folder and below npm's global folder, where it is preferred. `lines` are without line ends, blanks around them, empty
// ones and leading @. Nothing unless every line is one that npm ships.
std::optional<std::string> FindNpmScript(const std::vector<std::string_view>& lines);

// The value of `prefix` in an npmrc, with "${NAME}" replaced by what `lookup` says. Nothing when it is not set, or
// names a variable that is not.
using Lookup = std::function<std::optional<std::string>(const std::string& name)>;
std::optional<std::string> ReadNpmPrefix(std::string_view npmrc, const Lookup& lookup);

}  // namespace argv_spawn
