#include "text/npm_launcher.h"

#include <algorithm>

#include "text/ascii.h"

namespace argv_spawn {

namespace {

constexpr const char* kNpmBin = "node_modules\\npm\\bin\\";

// How the launcher asks npm for its global folder, newest first.
enum class Asks { kPrefixScript, kPrefixLocation, kPrefixG };

std::string Set(const std::string& name, const std::string& value) { return "set \"" + name + "=" + value + "\""; }

std::vector<std::string> ExpectedLines(const std::string& tool, Asks asks) {
  const std::string script = kNpmBin + tool + "-cli.js";
  const std::string variable = tool + "_cli_js";
  const std::string global = "npm_prefix_" + variable;
  const bool by_script = asks == Asks::kPrefixScript;
  std::vector<std::string> lines = {":: created by npm, please don't edit manually.",
                                    "echo off",
                                    "setlocal",
                                    Set("node_exe", "%~dp0\\node.exe"),
                                    "if not exist \"%node_exe%\" (",
                                    Set("node_exe", "node"),
                                    ")"};
  if (by_script) lines.push_back(Set("npm_prefix_js", std::string("%~dp0\\") + kNpmBin + "npm-prefix.js"));
  if (!by_script && tool != "npm") lines.push_back(Set("npm_cli_js", std::string("%~dp0\\") + kNpmBin + "npm-cli.js"));
  lines.push_back(Set(variable, "%~dp0\\" + script));
  lines.push_back(std::string("for /f \"delims=\" %%f in ('call \"%node_exe%\" ") +
                  (by_script                       ? "\"%npm_prefix_js%\""
                   : asks == Asks::kPrefixLocation ? "\"%npm_cli_js%\" prefix --location=global"
                                                   : "\"%npm_cli_js%\" prefix -g") +
                  "') do (");
  for (const std::string& line :
       {Set(global, "%%f\\" + script), std::string(")"), "if exist \"%" + global + "%\" (",
        Set(variable, "%" + global + "%"), std::string(")"), "\"%node_exe%\" \"%" + variable + "%\" %*"}) {
    lines.push_back(line);
  }
  return lines;
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// "${NAME}" replaced; nothing when a name has no value.
std::optional<std::string> Expand(std::string_view text, const Lookup& lookup) {
  std::string expanded;
  while (!text.empty()) {
    const size_t start = text.find("${");
    const size_t stop = start == text.npos ? start : text.find('}', start);
    if (stop == text.npos) break;
    const std::optional<std::string> value = lookup(std::string(text.substr(start + 2, stop - start - 2)));
    if (!value) return std::nullopt;
    expanded += text.substr(0, start);
    expanded += *value;
    text.remove_prefix(stop + 1);
  }
  expanded += text;
  return expanded;
}

}  // namespace

std::optional<std::string> FindNpmScript(const std::vector<std::string_view>& lines) {
  const auto same = [](std::string_view line, const std::string& expected) {
    return EqualsIgnoringCase(line, std::string_view(expected));
  };
  for (const char* tool : {"npm", "npx"}) {
    for (const Asks asks : {Asks::kPrefixScript, Asks::kPrefixLocation, Asks::kPrefixG}) {
      const std::vector<std::string> expected = ExpectedLines(tool, asks);
      if (std::equal(lines.begin(), lines.end(), expected.begin(), expected.end(), same)) {
        return std::string(kNpmBin) + tool + "-cli.js";
      }
    }
  }
  return std::nullopt;
}

std::optional<std::string> ReadNpmPrefix(std::string_view npmrc, const Lookup& lookup) {
  std::optional<std::string> prefix;
  for (size_t start = 0; start < npmrc.size();) {
    const size_t stop = std::min(npmrc.find('\n', start), npmrc.size());
    const std::string_view line = Trim(npmrc.substr(start, stop - start));
    start = stop + 1;
    const size_t equals = line.find('=');
    if (equals == line.npos || Trim(line.substr(0, equals)) != "prefix") continue;
    std::string_view value = Trim(line.substr(equals + 1));
    const bool quoted = value.size() >= 2 && (value.front() == '"' || value.front() == '\'');
    if (quoted && value.back() == value.front()) value = value.substr(1, value.size() - 2);
    prefix = Expand(value, lookup);  // the last one counts
  }
  return prefix;
}

}  // namespace argv_spawn
