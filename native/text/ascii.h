// Letters A to Z without their case, in text whose other characters are compared as they are.
#pragma once

#include <string_view>

namespace argv_spawn {

template <typename Unit>
constexpr Unit LowerAscii(Unit unit) {
  return unit >= 'A' && unit <= 'Z' ? static_cast<Unit>(unit + ('a' - 'A')) : unit;
}

template <typename Unit>
bool StartsIgnoringCase(std::basic_string_view<Unit> text, std::basic_string_view<Unit> start) {
  if (text.size() < start.size()) return false;
  for (size_t i = 0; i < start.size(); i++) {
    if (LowerAscii(text[i]) != LowerAscii(start[i])) return false;
  }
  return true;
}

template <typename Unit>
bool EqualsIgnoringCase(std::basic_string_view<Unit> one, std::basic_string_view<Unit> other) {
  return one.size() == other.size() && StartsIgnoringCase(one, other);
}

// Template arguments are not deduced from literals and strings.
inline bool StartsIgnoringCase(std::string_view text, std::string_view start) {
  return StartsIgnoringCase<char>(text, start);
}
inline bool EqualsIgnoringCase(std::string_view one, std::string_view other) {
  return EqualsIgnoringCase<char>(one, other);
}
inline bool EqualsIgnoringCase(std::u16string_view one, std::u16string_view other) {
  return EqualsIgnoringCase<char16_t>(one, other);
}

}  // namespace argv_spawn
