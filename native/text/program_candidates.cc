#include "text/program_candidates.h"

#include <algorithm>
#include <utility>

#include "text/ascii.h"

namespace argv_spawn {

namespace {

constexpr std::u16string_view kSeparators = u"\\/";
constexpr std::u16string_view kDefaultPathext = u".COM;.EXE;.BAT;.CMD";

std::u16string_view LastComponent(std::u16string_view path) {
  const size_t at = path.find_last_of(kSeparators);
  std::u16string_view name = at == path.npos ? path : path.substr(at + 1);
  // "C:tool" is a drive and a name, not a file with a stream.
  if (at == path.npos && name.size() > 1 && name[1] == u':') name.remove_prefix(2);
  return name;
}

std::u16string_view TrimDotsAndSpaces(std::u16string_view name) {
  while (!name.empty() && (name.back() == u'.' || name.back() == u' ')) name.remove_suffix(1);
  return name;
}

bool IsBatchName(std::u16string_view name) {
  name = TrimDotsAndSpaces(name);
  if (name.size() < 4) return false;
  const std::u16string_view extension = name.substr(name.size() - 4);
  return EqualsIgnoringCase(extension, u".bat") || EqualsIgnoringCase(extension, u".cmd");
}

bool HasExtension(std::u16string_view path) {
  const std::u16string_view name = TrimDotsAndSpaces(LastComponent(path));
  return name.find(u'.', 1) != name.npos;
}

bool PathextHas(std::u16string_view pathext, std::u16string_view extension) {
  for (size_t start = 0; start <= pathext.size();) {
    const size_t stop = std::min(pathext.find(u';', start), pathext.size());
    if (EqualsIgnoringCase(pathext.substr(start, stop - start), extension)) return true;
    start = stop + 1;
  }
  return false;
}

}  // namespace

Verdict JudgeFile(std::u16string_view path) {
  const std::u16string_view name = LastComponent(path);
  const size_t colon = name.find(u':');
  if (colon == name.npos) return IsBatchName(name) ? Verdict::kBatch : Verdict::kProgram;
  return IsBatchName(name.substr(0, colon)) || IsBatchName(name.substr(colon + 1)) ? Verdict::kBatch : Verdict::kStream;
}

bool IsBareName(std::u16string_view name) { return name.find_first_of(u"\\/:") == name.npos; }

bool IsFullyQualified(std::u16string_view path) {
  const auto is_separator = [](char16_t unit) { return unit == u'\\' || unit == u'/'; };
  if (path.size() >= 2 && is_separator(path[0]) && is_separator(path[1])) return true;
  return path.size() >= 3 && path[1] == u':' && is_separator(path[2]);
}

std::vector<Candidate> ListCandidates(std::u16string_view path, std::u16string_view pathext, bool bare) {
  std::vector<Candidate> list;
  const auto add = [&](std::u16string_view extension) {
    std::u16string candidate(path);
    candidate += extension;
    const Verdict verdict = JudgeFile(candidate);
    list.push_back({std::move(candidate), verdict});
  };
  const bool extended = HasExtension(path);
  if (extended || JudgeFile(path) != Verdict::kProgram) add(u"");
  if (JudgeFile(path) == Verdict::kStream) return list;
  add(u".exe");
  add(u".com");
  if (extended) return list;
  if (pathext.empty()) pathext = kDefaultPathext;
  for (const std::u16string_view extension : {u".bat", u".cmd"}) {
    if (PathextHas(pathext, extension)) add(extension);
  }
  if (!bare) add(u"");
  return list;
}

std::vector<std::u16string> SplitPath(std::u16string_view path) {
  std::vector<std::u16string> entries(1);
  bool quoted = false;
  for (const char16_t unit : path) {
    if (unit == u'"') {
      quoted = !quoted;
    } else if (unit == u';' && !quoted) {
      entries.emplace_back();
    } else {
      entries.back() += unit;
    }
  }
  return entries;
}

}  // namespace argv_spawn
