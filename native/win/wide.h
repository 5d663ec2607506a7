// The engine's strings as Windows takes them. wchar_t is a UTF-16 unit here and nowhere else.
#pragma once

#include <string>
#include <string_view>

#include "text/utf16.h"

namespace argv_spawn {

static_assert(sizeof(wchar_t) == sizeof(char16_t), "Windows only");

inline std::wstring Widen(std::u16string_view units) {
  return std::wstring(reinterpret_cast<const wchar_t*>(units.data()), units.size());
}
inline std::wstring Widen(std::string_view text) { return Widen(Utf16FromWtf8(text)); }
inline std::u16string Units(std::wstring_view text) {
  return std::u16string(reinterpret_cast<const char16_t*>(text.data()), text.size());
}
inline std::string Narrow(std::wstring_view text) { return Wtf8FromUtf16(Units(text)); }

}  // namespace argv_spawn
