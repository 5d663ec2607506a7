// The text algorithms for Windows, which every platform compiles: lines, blocks, names, UTF-16.
#include <random>
#include <string>
#include <vector>

#include "check.h"
#include "text/command_line.h"
#include "text/environment_block.h"
#include "text/program_candidates.h"
#include "text/utf16.h"
#include "vectors.h"

using namespace argv_spawn;

namespace {

// "Parsing C command-line arguments", read forwards: what is tested was written by inverting it.
std::vector<std::u16string> ParseLine(const std::u16string& line) {
  std::vector<std::u16string> argv(1);
  size_t at = 0;
  bool quoted = false;
  // The program's name: quotes delimit, backslashes are themselves.
  for (; at < line.size() && (quoted || (line[at] != u' ' && line[at] != u'\t')); at++) {
    if (line[at] == u'"') {
      quoted = !quoted;
    } else {
      argv[0] += line[at];
    }
  }
  for (;;) {
    while (at < line.size() && (line[at] == u' ' || line[at] == u'\t')) at++;
    if (at >= line.size()) return argv;
    std::u16string argument;
    quoted = false;
    for (; at < line.size() && (quoted || (line[at] != u' ' && line[at] != u'\t')); at++) {
      size_t slashes = 0;
      while (at < line.size() && line[at] == u'\\') {
        slashes++;
        at++;
      }
      if (at < line.size() && line[at] == u'"') {
        argument.append(slashes / 2, u'\\');
        if (slashes % 2 == 1) {
          argument += u'"';
        } else {
          quoted = !quoted;
        }
      } else {
        argument.append(slashes, u'\\');
        at--;
        if (slashes == 0) argument += line[++at];
      }
    }
    argv.push_back(std::move(argument));
  }
}

// ASCII and one pair beyond, for the tests.
char16_t Upper(char16_t unit) {
  if (unit >= u'a' && unit <= u'z') return static_cast<char16_t>(unit - 32);
  return unit == u'\u00e9' ? u'\u00c9' : unit;
}

std::string Block(std::initializer_list<const char*> entries) {
  std::string block;
  for (const char* entry : entries) block += std::string(entry) + '\0';
  return block;
}

}  // namespace

TEST(LinesOfVectors, "command lines are the ones of the shared vectors, and parse back") {
  const Json rows = ReadVectors("windows-lines");
  CHECK(rows.items.size() > 20);
  for (const Json& row : rows.items) {
    std::vector<std::u16string> argv;
    for (const Json& word : row[u"argv"].items) argv.push_back(word.text);
    Result<std::u16string> line = MakeCommandLine(argv, kLongestLine);
    CHECK(line.ok() && line.value() == row[u"line"].text);
    CHECK(ParseLine(row[u"line"].text) == argv);
  }
}

TEST(LinesRoundTrip, "100,000 random argument vectors come back from their line") {
  std::mt19937 random(20261202);
  const std::u16string letters = u"\"\\\\ \t\nab%^!\u00e9\xd83d\xde00\xdc00";
  int wrong = 0;
  for (int i = 0; i < 100'000; i++) {
    std::vector<std::u16string> argv = {u"C:\\dir with space\\x.exe"};
    for (size_t count = random() % 6; count > 0; count--) {
      std::u16string argument;
      for (size_t size = random() % 9; size > 0; size--) argument += letters[random() % letters.size()];
      argv.push_back(std::move(argument));
    }
    Result<std::u16string> line = MakeCommandLine(argv, kLongestLine);
    if (!line.ok() || ParseLine(line.value()) != argv) wrong++;
  }
  CHECK(wrong == 0);
}

TEST(LineLimits, "a line that is too long says which argument, how long and how long it may be") {
  const auto line = [](size_t size, int64_t limit) {
    return MakeCommandLine({u"p", std::u16string(size, u'x')}, limit);
  };
  CHECK(line(32'762, kLongestLine).ok());  // "p" and a blank make 32,766
  Result<std::u16string> total = line(32'763, kLongestLine);
  CHECK(!total.ok() && total.failure().subject == "total" && total.failure().size == 32'767);
  CHECK(total.failure().limit == 32'766 && total.failure().code == "E2BIG");
  Result<std::u16string> one = line(38'000, kLongestLine);
  CHECK(!one.ok() && one.failure().subject == "argv" && one.failure().index == 1 && one.failure().size == 38'000);
  // Quoting counts.
  Result<std::u16string> quotes = MakeCommandLine({u"p", std::u16string(16'400, u'"')}, kLongestLine);
  CHECK(!quotes.ok() && quotes.failure().size == 32'802);
  CHECK(line(8'187, kLongestBatchLine).ok());
  CHECK(!line(8'188, kLongestBatchLine).ok());
}

TEST(ProgramWithQuote, "a program with a quote has no line") {
  Result<std::u16string> line = MakeCommandLine({u"a\"b"}, kLongestLine);
  CHECK(!line.ok() && line.failure().index == 0 && line.failure().code == "EINVAL");
}

TEST(Utf16RoundTrip, "every sequence of UTF-16 units comes back, half pairs included") {
  std::mt19937 random(7);
  for (int i = 0; i < 20'000; i++) {
    std::u16string units;
    for (size_t size = random() % 12; size > 0; size--) {
      const auto unit = static_cast<char16_t>(random() % 3 == 0 ? 0xd800 + random() % 0x800 : random());
      units += unit;
    }
    if (Utf16FromWtf8(Wtf8FromUtf16(units)) != units) {
      CHECK(!"a sequence changed");
      return;
    }
  }
  CHECK(Wtf8FromUtf16(u"\xd83d\xde00") == "\xf0\x9f\x98\x80");
  CHECK(Wtf8FromUtf16(std::u16string(1, 0xd800)) == "\xed\xa0\x80");
  CHECK(HasLoneSurrogate("a\xed\xa0\x80") && !HasLoneSurrogate("\xed\x9f\xbf\xf0\x9f\x98\x80"));
  CHECK(Utf16FromWtf8("\xff\xc0\x80\xe2\x82") == std::u16string(5, 0xfffd));
}

TEST(MergeIgnoringCase, "names are one name whatever their case, and the last spelling wins") {
  const std::string base = Block({"=C:=C:\\x", "Path=old", "A=1"});
  CHECK(MergeEnvironment(base, Block({"PATH=new"}), Upper) == Block({"=C:=C:\\x", "PATH=new", "A=1"}));
  CHECK(MergeEnvironment(base, Block({"PATH=1", "path=2"}), Upper) == Block({"=C:=C:\\x", "path=2", "A=1"}));
  CHECK(MergeEnvironment(base, Block({"pAtH"}), Upper) == Block({"=C:=C:\\x", "A=1"}));
  CHECK(MergeEnvironment(base, Block({"=C:=D:\\"}), Upper) == Block({"=C:=D:\\", "Path=old", "A=1"}));
  CHECK(MergeEnvironment(base, Block({"PATH=new"})) == Block({"=C:=C:\\x", "Path=old", "A=1", "PATH=new"}));
}

TEST(WindowsBlock, "a block is sorted by upper-cased name, has each name once, and ends with two NULs") {
  const auto block = [](std::initializer_list<const char*> entries) { return MakeWindowsBlock(Block(entries), Upper); };
  CHECK(block({}) == std::u16string(2, u'\0'));
  CHECK(block({"b=1", "A=2", "_=3", "B=4"}) == std::u16string(u"A=2\0B=4\0_=3\0\0", 13));
  CHECK(block({"x=1", "=C:=C:\\d"}) == std::u16string(u"=C:=C:\\d\0x=1\0\0", 14));
  CHECK(block({"\xc3\xa9=1", "\xc3\x89=2"}) == std::u16string(u"\u00c9=2\0\0", 5));
  CHECK(block({"no-equals"}) == std::u16string(2, u'\0'));
}

TEST(Verdicts, "batch files and streams are seen through every spelling") {
  for (const char16_t* name : {u"a.bat", u"C:\\x\\a.BAT.", u"a.cmd . ", u"a.bat::$DATA", u"x/a.CmD", u"a.bat:x",
                               u"t:a.bat", u"\\\\?\\C:\\x\\a.bat. .", u"C:a.bat", u"a.b.cmd"}) {
    CHECK(JudgeFile(name) == Verdict::kBatch);
  }
  for (const char16_t* name : {u"a.exe", u"bat", u"C:\\a.bat\\x", u"C:\\a.cmd\\x.exe", u"a.bats", u".", u"C:x"}) {
    CHECK(JudgeFile(name) == Verdict::kProgram);
  }
  CHECK(JudgeFile(u"C:\\x\\a.exe:evil") == Verdict::kStream);
}

TEST(Candidates, "a name means its programs first, then the batch files that PATHEXT names") {
  const auto list = [](const char16_t* path, const char16_t* pathext, bool bare) {
    std::u16string text;
    for (const Candidate& one : ListCandidates(path, pathext, bare)) text += one.path + u"|";
    return text;
  };
  CHECK(list(u"tool", u"", true) == u"tool.exe|tool.com|tool.bat|tool.cmd|");
  CHECK(list(u"tool", u".EXE;.CMD", true) == u"tool.exe|tool.com|tool.cmd|");
  CHECK(list(u"C:\\x\\tool", u".EXE", false) == u"C:\\x\\tool.exe|C:\\x\\tool.com|C:\\x\\tool|");
  CHECK(list(u"tool.v2", u"", true) == u"tool.v2|tool.v2.exe|tool.v2.com|");
  CHECK(list(u"tool.cmd", u"", true) == u"tool.cmd|tool.cmd.exe|tool.cmd.com|");
  CHECK(list(u"tool.exe:s", u"", true) == u"tool.exe:s|");
  CHECK(IsBareName(u"tool") && !IsBareName(u"a/b") && !IsBareName(u"a\\b") && !IsBareName(u"C:tool"));
  CHECK(IsFullyQualified(u"C:\\x") && IsFullyQualified(u"//s/x") && IsFullyQualified(u"\\\\?\\C:\\x"));
  CHECK(!IsFullyQualified(u"\\x") && !IsFullyQualified(u"C:x") && !IsFullyQualified(u"x"));
}

TEST(PathEntries, "strange values of PATH have a defined meaning") {
  const auto split = [](const char16_t* path) {
    std::u16string text;
    for (const std::u16string& one : SplitPath(path)) text += one + u"|";
    return text;
  };
  CHECK(split(u"") == u"|");
  CHECK(split(u";;") == u"|||");
  CHECK(split(u"\";\";") == u";||");
  CHECK(split(u";.;") == u"|.||");
  CHECK(split(u"\"C:\\a b\";C:\\c") == u"C:\\a b|C:\\c|");
  CHECK(split(u"C:\\a;\"C:\\b;c") == u"C:\\a|C:\\b;c|");
}
