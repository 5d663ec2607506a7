// Views of a block of NUL-terminated strings, the form in which argv and env cross the boundary.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace argv_spawn {

// Pointers into `block`, ended by a null pointer, as exec wants them. Valid as long as `block` is unchanged.
inline std::vector<char*> PointersInto(std::string& block) {
  std::vector<char*> pointers;
  for (size_t at = 0; at < block.size(); at += std::strlen(block.data() + at) + 1)
    pointers.push_back(block.data() + at);
  pointers.push_back(nullptr);
  return pointers;
}

// Value of the last entry `name=`; data() is nullptr when there is none.
inline std::string_view FindInEnvironment(const std::string& block, std::string_view name) {
  std::string_view found;
  for (size_t at = 0; at < block.size();) {
    const std::string_view entry(block.data() + at);
    if (entry.size() > name.size() && entry[name.size()] == '=' && entry.substr(0, name.size()) == name) {
      found = entry.substr(name.size() + 1);
    }
    at += entry.size() + 1;
  }
  return found;
}

}  // namespace argv_spawn
