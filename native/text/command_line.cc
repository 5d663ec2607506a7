#include "text/command_line.h"

namespace argv_spawn {

namespace {

Failure TooLong(const char* subject, int64_t index, int64_t size, int64_t limit) {
  Failure failure;
  failure.stage = Stage::kLimits;
  failure.code = "E2BIG";
  failure.call = "CreateProcessW";
  failure.subject = subject;
  failure.detail = "UTF-16 units of the quoted command line";
  failure.index = index;
  failure.size = size;
  failure.limit = limit;
  return failure;
}

}  // namespace

void AppendQuoted(std::u16string& line, std::u16string_view argument) {
  if (!argument.empty() && argument.find_first_of(u" \t\n\v\"") == argument.npos) {
    line += argument;
    return;
  }
  line += u'"';
  size_t slashes = 0;
  for (const char16_t unit : argument) {
    if (unit == u'"') line.append(slashes + 1, u'\\');  // n become 2n+1: a literal quote
    slashes = unit == u'\\' ? slashes + 1 : 0;
    line += unit;
  }
  line.append(slashes, u'\\');  // n become 2n: the closing quote must delimit
  line += u'"';
}

Result<std::u16string> MakeCommandLine(const std::vector<std::u16string>& argv, int64_t limit) {
  if (argv[0].find(u'"') != std::u16string::npos) {
    Failure failure;
    failure.stage = Stage::kLimits;
    failure.code = "EINVAL";
    failure.subject = "argv";
    failure.detail = "a quote in argv[0], which cannot be written in a Windows command line";
    failure.index = 0;
    return failure;
  }
  std::u16string line = u"\"" + argv[0] + u"\"";
  for (size_t i = 1; i < argv.size(); i++) {
    const size_t before = line.size();
    line += u' ';
    AppendQuoted(line, argv[i]);
    const auto size = static_cast<int64_t>(line.size() - before - 1);
    if (size > limit) return TooLong("argv", static_cast<int64_t>(i), size, limit);
  }
  const auto size = static_cast<int64_t>(line.size());
  if (size > limit) return TooLong("total", -1, size, limit);
  return line;
}

}  // namespace argv_spawn
