// Launchers of package managers, from the shared rows.
#include <string>

#include "check.h"
#include "text/npm_launcher.h"
#include "text/shim.h"
#include "text/utf16.h"
#include "vectors.h"

using namespace argv_spawn;

namespace {

std::string Content(const Json& row, const char* line_end) {
  std::string content;
  for (const Json& line : row[u"lines"].items) content += Wtf8FromUtf16(line.text) + line_end;
  return content;
}

}  // namespace

TEST(Shims, "each shape of launcher is recognised, with either line end") {
  const Json file = ReadVectors("shims");
  CHECK(file[u"shims"].items.size() >= 5);
  for (const Json& row : file[u"shims"].items) {
    for (const char* line_end : {"\r\n", "\n"}) {
      const std::optional<Shim> shim = ParseShim(Content(row, line_end));
      CHECK(shim.has_value());
      if (!shim) continue;
      CHECK(shim->arguments.size() == row[u"argv"].items.size());
      CHECK(shim->variables.size() == row[u"env"].items.size());
      CHECK(shim->program_here.has_value() == (shim->program.text == "node"));
    }
  }
}

TEST(HostileShims, "what only looks like a launcher is none") {
  const Json file = ReadVectors("shims");
  CHECK(file[u"hostile"].items.size() >= 5);
  for (const Json& row : file[u"hostile"].items) CHECK(!ParseShim(Content(row, "\r\n")).has_value());
}

TEST(BrokenShims, "a launcher that is cut off or changed anywhere is none, or means the same program") {
  const Json file = ReadVectors("shims");
  for (const Json& row : file[u"shims"].items) {
    const std::string content = Content(row, "\r\n");
    // Signs that cmd.exe gives a meaning, put in at every place.
    for (const char* sign : {"&", "|", ">", "<", "%", "^", "!", "\"", "\n&x\n"}) {
      for (size_t at = 0; at <= content.size(); at++) {
        std::string changed = content;
        changed.insert(at, sign);
        const std::optional<Shim> shim = ParseShim(changed);
        if (!shim) continue;
        // `&` may stand in quotes, as part of a file's name, and a comment may hold anything.
        CHECK(std::string(sign) == "&");
      }
    }
  }
  CHECK(!ParseShim("").has_value());
  CHECK(!ParseShim("@ECHO off\r\n").has_value());
  CHECK(!ParseShim(std::string(70'000, ' ') + "@node x.js %*").has_value());
  CHECK(ParseShim("@node \"%~dp0\\yarn.js\" %*").has_value());
}

TEST(NpmLaunchers, "npm.cmd and npx.cmd prefer the npm of npm's global folder") {
  const Json file = ReadVectors("shims");
  int found = 0;
  for (const Json& row : file[u"shims"].items) {
    const std::optional<Shim> shim = ParseShim(Content(row, "\r\n"));
    if (!shim || shim->global_script.empty()) continue;
    found++;
    CHECK(shim->arguments.size() == 1 && shim->arguments[0].text == shim->global_script);
  }
  CHECK(found == 3);
}

TEST(NpmPrefix, "the prefix of an npmrc is read with its variables") {
  const auto lookup = [](const std::string& name) -> std::optional<std::string> {
    return name == "APPDATA" ? std::optional<std::string>("C:\\Users\\me\\AppData") : std::nullopt;
  };
  CHECK(ReadNpmPrefix("prefix=${APPDATA}\\npm\r\n", lookup) == "C:\\Users\\me\\AppData\\npm");
  CHECK(ReadNpmPrefix("; prefix=x\n//r/:_authToken=y\n prefix = \"D:\\a b\"\nother=1", lookup) == "D:\\a b");
  CHECK(ReadNpmPrefix("prefix=C:\\1\nprefix=C:\\2", lookup) == "C:\\2");
  CHECK(!ReadNpmPrefix("prefix=${NOPE}\\npm", lookup).has_value());
  CHECK(ReadNpmPrefix("prefix=C:\\${APPDATA", lookup) == "C:\\${APPDATA");
  CHECK(!ReadNpmPrefix("", lookup).has_value());
  CHECK(!ReadNpmPrefix("save-prefix=~\n", lookup).has_value());
}
