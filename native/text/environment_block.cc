#include "text/environment_block.h"

#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "text/utf16.h"

namespace argv_spawn {

namespace {

// The position of the `=` that ends a name: not the first character, which is part of names like "=C:".
size_t FindEquals(std::string_view entry) { return entry.find('=', 1); }

std::u16string Upper(std::u16string text, Upcase upcase) {
  for (char16_t& unit : text) unit = upcase(unit);
  return text;
}

// What two spellings of one name have in common.
std::string KeyOf(std::string_view name, Upcase upcase) {
  if (upcase == nullptr) return std::string(name);
  return Wtf8FromUtf16(Upper(Utf16FromWtf8(name), upcase));
}

template <typename Visit>
void ForEachEntry(const std::string& block, Visit visit) {
  for (size_t at = 0; at < block.size();) {
    const std::string_view entry(block.data() + at);
    at += entry.size() + 1;
    visit(entry);
  }
}

}  // namespace

std::string MergeEnvironment(std::string base, const std::string& changes, Upcase upcase) {
  if (changes.empty()) return base;
  std::vector<std::string_view> entries;   // an empty one has been removed
  std::map<std::string, size_t> position;  // of each name
  const auto set = [&](std::string_view entry, std::string_view name) {
    const auto [at, added] = position.try_emplace(KeyOf(name, upcase), entries.size());
    if (added) {
      entries.push_back(entry);
    } else {
      entries[at->second] = entry;
    }
  };
  ForEachEntry(base, [&](std::string_view entry) {
    const size_t equals = FindEquals(entry);
    if (equals == std::string_view::npos) {
      entries.push_back(entry);
    } else {
      set(entry, entry.substr(0, equals));
    }
  });
  ForEachEntry(changes, [&](std::string_view entry) {
    const size_t equals = FindEquals(entry);
    if (equals != std::string_view::npos) {
      set(entry, entry.substr(0, equals));
    } else if (const auto known = position.find(KeyOf(entry, upcase)); known != position.end()) {
      entries[known->second] = std::string_view();
      position.erase(known);
    }
  });
  std::string merged;
  merged.reserve(base.size() + changes.size());
  for (const std::string_view entry : entries) {
    if (entry.empty()) continue;
    merged.append(entry);
    merged += '\0';
  }
  return merged;
}

std::u16string MakeWindowsBlock(const std::string& entries, Upcase upcase) {
  std::map<std::u16string, std::u16string> sorted;  // by upper-cased name
  ForEachEntry(entries, [&](std::string_view entry) {
    const size_t equals = FindEquals(entry);
    if (equals == std::string_view::npos) return;  // Windows has no variable without a value
    sorted[Upper(Utf16FromWtf8(entry.substr(0, equals)), upcase)] = Utf16FromWtf8(entry);
  });
  std::u16string block;
  for (const auto& [name, entry] : sorted) {
    block += entry;
    block += u'\0';
  }
  if (block.empty()) block += u'\0';
  block += u'\0';
  return block;
}

}  // namespace argv_spawn
