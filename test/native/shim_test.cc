// Launchers of package managers, from the shared rows.
#include <string>

#include "check.h"
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
