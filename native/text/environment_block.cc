#include "text/environment_block.h"

#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace argv_spawn {

std::string MergeEnvironment(std::string base, const std::string& changes) {
  if (changes.empty()) return base;
  std::vector<std::string_view> entries;                  // an empty one has been removed
  std::unordered_map<std::string_view, size_t> position;  // of each name
  const auto set = [&](std::string_view entry, std::string_view name) {
    const auto [at, added] = position.try_emplace(name, entries.size());
    if (added) {
      entries.push_back(entry);
    } else {
      entries[at->second] = entry;
    }
  };
  for (size_t at = 0; at < base.size();) {
    const std::string_view entry(base.data() + at);
    at += entry.size() + 1;
    const size_t equals = entry.find('=', 1);
    if (equals == std::string_view::npos) {
      entries.push_back(entry);
    } else {
      set(entry, entry.substr(0, equals));
    }
  }
  for (size_t at = 0; at < changes.size();) {
    const std::string_view entry(changes.data() + at);
    at += entry.size() + 1;
    const size_t equals = entry.find('=');
    if (equals != std::string_view::npos) {
      set(entry, entry.substr(0, equals));
    } else if (const auto known = position.find(entry); known != position.end()) {
      entries[known->second] = std::string_view();
      position.erase(known);
    }
  }
  std::string merged;
  merged.reserve(base.size() + changes.size());
  for (const std::string_view entry : entries) {
    if (entry.empty()) continue;
    merged.append(entry);
    merged += '\0';
  }
  return merged;
}

}  // namespace argv_spawn
