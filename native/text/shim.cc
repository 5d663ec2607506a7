#include "text/shim.h"

#include <algorithm>

#include "text/ascii.h"
#include "text/npm_launcher.h"

namespace argv_spawn {

namespace {

constexpr size_t kLongestShim = 64 * 1024;

bool Take(std::string_view& text, std::string_view start) {
  if (!StartsIgnoringCase(text, start)) return false;
  text.remove_prefix(start.size());
  return true;
}

std::string_view TrimBlanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Characters that mean nothing to cmd.exe, quoted or not. Bytes of characters beyond ASCII are text.
bool IsPlain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter = (LowerAscii(c) >= 'a' && LowerAscii(c) <= 'z') || (c >= '0' && c <= '9');
    return letter || byte >= 0x80 || std::string_view("_-./\\:=@+,~$#").find(c) != std::string_view::npos;
  });
}

// In quotes also spaces and the signs that only count outside of them.
bool IsPlainInQuotes(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return IsPlain(std::string_view(&c, 1)) || std::string_view(" ()[]{};'&").find(c) != std::string_view::npos;
  });
}

bool IsName(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c == '_' || (LowerAscii(c) >= 'a' && LowerAscii(c) <= 'z') || (c >= '0' && c <= '9');
  });
}

// One word of a command line and what follows it; nothing for a word with any other form.
std::optional<ShimWord> TakeWord(std::string_view& line) {
  line = TrimBlanks(line);
  ShimWord word;
  if (Take(line, "\"")) {
    const size_t end = line.find('"');
    if (end == std::string_view::npos) return std::nullopt;
    std::string_view inside = line.substr(0, end);
    line.remove_prefix(end + 1);
    if (!line.empty() && line.front() != ' ' && line.front() != '\t') return std::nullopt;
    word.beside = Take(inside, "%~dp0\\") || Take(inside, "%dp0%\\");
    if (inside.empty() || !IsPlainInQuotes(inside)) return std::nullopt;
    word.text = inside;
    return word;
  }
  const size_t end = std::min(line.find_first_of(" \t"), line.size());
  const std::string_view text = line.substr(0, end);
  if (text.empty() || !IsPlain(text)) return std::nullopt;
  word.text = text;
  line.remove_prefix(end);
  return word;
}

struct Command {
  std::optional<ShimWord> program;  // nothing: the "%_prog%" that was set before
  std::vector<ShimWord> arguments;
};

bool SameWords(const std::vector<ShimWord>& one, const std::vector<ShimWord>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const ShimWord& a, const ShimWord& b) { return a.beside == b.beside && a.text == b.text; });
}

// `program arguments %*`, where exactly `%*` ends it.
std::optional<Command> ParseCommand(std::string_view line) {
  line = TrimBlanks(line);
  if (line.size() < 3 || line.substr(line.size() - 2) != "%*") return std::nullopt;
  line.remove_suffix(2);
  if (line.back() != ' ' && line.back() != '\t') return std::nullopt;
  Command command;
  if (!Take(line, "\"%_prog%\" ")) {
    command.program = TakeWord(line);
    if (!command.program) return std::nullopt;
  }
  for (line = TrimBlanks(line); !line.empty(); line = TrimBlanks(line)) {
    std::optional<ShimWord> word = TakeWord(line);
    if (!word) return std::nullopt;
    command.arguments.push_back(std::move(*word));
  }
  return command;
}

// SET NAME=value, SET "NAME=value", SET "NAME=value;%NAME%".
std::optional<ShimVariable> ParseSet(std::string_view line) {
  if (!Take(line, "set ")) return std::nullopt;
  line = TrimBlanks(line);
  const bool quoted = Take(line, "\"");
  if (quoted) {
    if (line.empty() || line.back() != '"') return std::nullopt;
    line.remove_suffix(1);
  }
  const size_t equals = line.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  ShimVariable variable;
  variable.name = line.substr(0, equals);
  std::string_view value = line.substr(equals + 1);
  const std::string old = ";%" + variable.name + "%";
  if (value.size() > old.size() && EqualsIgnoringCase(value.substr(value.size() - old.size()), old)) {
    variable.keeps_old = true;
    value.remove_suffix(old.size());
  }
  if (!IsName(variable.name) || value.empty()) return std::nullopt;
  if (quoted ? !IsPlainInQuotes(value) : !IsPlain(value)) return std::nullopt;
  variable.value = value;
  return variable;
}

// Lines without what does not count: blanks around them, empty ones, and the @ that only silences.
std::optional<std::vector<std::string_view>> SplitLines(std::string_view content) {
  std::vector<std::string_view> lines;
  for (size_t start = 0; start < content.size();) {
    const size_t stop = std::min(content.find('\n', start), content.size());
    std::string_view line = content.substr(start, stop - start);
    start = stop + 1;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.find_first_of(std::string_view("\0\r\x1a", 3)) != std::string_view::npos) return std::nullopt;
    line = TrimBlanks(line);
    Take(line, "@");
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

class Parser {
 public:
  explicit Parser(std::vector<std::string_view> lines) : lines_(std::move(lines)) {}

  std::optional<Shim> Parse() {
    if (!SkipPreamble()) return std::nullopt;
    while (TakeVariable()) {
    }
    if (failed_ || !ParseBody() || at_ != lines_.size()) return std::nullopt;
    return std::move(shim_);
  }

 private:
  bool Next(std::string_view expected) {
    if (at_ >= lines_.size() || !EqualsIgnoringCase(lines_[at_], expected)) return false;
    at_++;
    return true;
  }
  bool All(std::initializer_list<std::string_view> expected) {
    return std::all_of(expected.begin(), expected.end(), [this](std::string_view line) { return Next(line); });
  }

  void SkipComments() {
    while (at_ < lines_.size() && StartsIgnoringCase(lines_[at_], ":: ") && IsPlainInQuotes(lines_[at_])) at_++;
  }

  // ECHO off, SETLOCAL, and cmd-shim's way of finding its own folder.
  bool SkipPreamble() {
    SkipComments();
    Next("echo off");
    SkipComments();
    if (Next("goto start")) {
      return All({":find_dp0", "set dp0=%~dp0", "exit /b", ":start", "setlocal", "call :find_dp0"});
    }
    Next("setlocal");
    return true;
  }

  bool TakeVariable() {
    if (at_ >= lines_.size()) return false;
    if (StartsIgnoringCase(lines_[at_], "if not defined ")) return TakeConditionalVariable();
    if (!StartsIgnoringCase(lines_[at_], "set ")) return false;
    std::optional<ShimVariable> variable = ParseSet(lines_[at_]);
    // The preamble's own name, and the one that "%_prog%" stands for, are not the launcher's to set.
    if (!variable || EqualsIgnoringCase(variable->name, "dp0") || EqualsIgnoringCase(variable->name, "_prog"))
      return Fail();
    at_++;
    shim_.variables.push_back(std::move(*variable));
    return true;
  }

  // IF NOT DEFINED NAME ( SET "NAME=value" ) ELSE ( SET "NAME=value;%NAME%" )
  bool TakeConditionalVariable() {
    std::string_view head = lines_[at_++];
    Take(head, "if not defined ");
    if (at_ + 4 > lines_.size() || head.size() < 3 || head.substr(head.size() - 2) != " (") return Fail();
    const std::string_view name = head.substr(0, head.size() - 2);
    const std::optional<ShimVariable> fresh = ParseSet(lines_[at_]);
    std::optional<ShimVariable> added = ParseSet(lines_[at_ + 2]);
    const bool right = fresh && added && EqualsIgnoringCase(fresh->name, name) &&
                       EqualsIgnoringCase(added->name, name) && !fresh->keeps_old && added->keeps_old &&
                       fresh->value == added->value && EqualsIgnoringCase(lines_[at_ + 1], ") else (") &&
                       lines_[at_ + 3] == ")";
    if (!right) return Fail();
    at_ += 4;
    shim_.variables.push_back(std::move(*added));
    return true;
  }

  // "%~dp0\node.exe" of IF EXIST "%~dp0\node.exe" (
  std::optional<ShimWord> TakeIfExists() {
    if (at_ >= lines_.size()) return std::nullopt;
    std::string_view line = lines_[at_];
    if (!Take(line, "if exist ") || line.size() < 2 || line.back() != '(') return std::nullopt;
    line.remove_suffix(1);
    std::optional<ShimWord> word = TakeWord(line);
    if (!word || !word->beside || !TrimBlanks(line).empty()) return std::nullopt;
    at_++;
    return word;
  }

  bool ParseBody() {
    if (at_ >= lines_.size()) return false;
    if (!StartsIgnoringCase(lines_[at_], "if exist ")) return ParsePlain();
    const std::optional<ShimWord> here = TakeIfExists();
    if (!here || at_ >= lines_.size()) return false;
    return StartsIgnoringCase(lines_[at_], "set \"_prog=") ? ParseWithProg(*here) : ParseTwice(*here);
  }

  bool ParsePlain() {
    std::optional<Command> command = ParseCommand(lines_[at_++]);
    if (!command || !command->program) return false;
    shim_.program = std::move(*command->program);
    shim_.arguments = std::move(command->arguments);
    return IsProgram(shim_.program);
  }

  // npm: SET "_prog=..." in both branches, then one command behind endLocal.
  bool ParseWithProg(const ShimWord& here) {
    if (!SetsProg(here)) return false;
    if (!Next(") else (")) return false;
    std::string_view line = at_ < lines_.size() ? lines_[at_++] : std::string_view();
    if (!Take(line, "set \"_prog=") || line.empty() || line.back() != '"') return false;
    line.remove_suffix(1);
    shim_.program.text = line;
    if (!IsPlain(line) || !IsProgram(shim_.program)) return false;
    Next("set pathext=%pathext:;.js;=;%");
    if (!Next(")") || at_ >= lines_.size()) return false;
    line = lines_[at_++];
    if (!Take(line, "endlocal & goto #_undefined_# 2>nul || title %comspec% & ")) return false;
    Take(line, "set pathext=%pathext:;.js;=;% & ");  // cmd-shim 7
    std::optional<Command> command = ParseCommand(line);
    if (!command || command->program) return false;
    shim_.program_here = here;
    shim_.arguments = std::move(command->arguments);
    return true;
  }

  bool SetsProg(const ShimWord& here) {
    return Next("set \"_prog=%dp0%\\" + here.text + "\"") || Next("set \"_prog=%~dp0\\" + here.text + "\"");
  }

  // pnpm and yarn: the whole command in both branches.
  bool ParseTwice(const ShimWord& here) {
    std::optional<Command> first = ParseCommand(lines_[at_++]);
    if (!first || !first->program || !first->program->beside || first->program->text != here.text) return false;
    if (!Next(") else (")) return false;
    Next("setlocal");
    Next("set pathext=%pathext:;.js;=;%");
    std::optional<Command> second = at_ < lines_.size() ? ParseCommand(lines_[at_++]) : std::nullopt;
    if (!second || !second->program || !SameWords(first->arguments, second->arguments) || !Next(")")) return false;
    shim_.program = std::move(*second->program);
    shim_.program_here = here;
    shim_.arguments = std::move(first->arguments);
    return IsProgram(shim_.program);
  }

  // A path beside the launcher, or a bare name. Anything else is not something a package manager writes.
  static bool IsProgram(const ShimWord& word) {
    return word.beside || word.text.find_first_of("\\/:=,") == std::string::npos;
  }

  bool Fail() {
    failed_ = true;
    return false;
  }

  std::vector<std::string_view> lines_;
  size_t at_ = 0;
  bool failed_ = false;
  Shim shim_;
};

}  // namespace

std::optional<Shim> ParseShim(std::string_view content) {
  if (content.size() > kLongestShim) return std::nullopt;
  std::optional<std::vector<std::string_view>> lines = SplitLines(content);
  if (!lines) return std::nullopt;
  if (const std::optional<std::string> script = FindNpmScript(*lines)) {
    Shim shim;
    shim.program.text = "node";
    shim.program_here = ShimWord{true, "node.exe"};
    shim.arguments.push_back(ShimWord{true, *script});
    shim.global_script = *script;
    return shim;
  }
  return Parser(std::move(*lines)).Parse();
}

}  // namespace argv_spawn
