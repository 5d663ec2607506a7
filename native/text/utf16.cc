#include "text/utf16.h"

#include <cstdint>

namespace argv_spawn {

namespace {

constexpr char32_t kReplacement = 0xfffd;

bool IsContinuation(unsigned char byte) { return (byte & 0xc0) == 0x80; }

// One code point (a surrogate half included) at `at`, which moves past it.
char32_t Next(std::string_view text, size_t& at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(i < text.size() ? text[i] : 0); };
  const unsigned char lead = byte(at);
  size_t length = 0;
  char32_t point = 0;
  if (lead < 0x80) {
    at++;
    return lead;
  }
  if (lead >= 0xc2 && lead < 0xe0) {
    length = 2;
    point = lead & 0x1fU;
  } else if (lead >= 0xe0 && lead < 0xf0) {
    length = 3;
    point = lead & 0x0fU;
  } else if (lead >= 0xf0 && lead < 0xf5) {
    length = 4;
    point = lead & 0x07U;
  }
  for (size_t i = 1; i < length; i++) {
    if (!IsContinuation(byte(at + i))) {
      length = 0;
      break;
    }
    point = (point << 6) | (byte(at + i) & 0x3fU);
  }
  const bool overlong = (length == 3 && point < 0x800) || (length == 4 && (point < 0x10000 || point > 0x10ffff));
  if (length == 0 || overlong) {
    at++;
    return kReplacement;
  }
  at += length;
  return point;
}

void AppendUtf8(std::string& text, char32_t point) {
  const auto put = [&](char32_t byte) { text += static_cast<char>(byte); };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xc0 | (point >> 6));
    put(0x80 | (point & 0x3f));
  } else if (point < 0x10000) {
    put(0xe0 | (point >> 12));
    put(0x80 | ((point >> 6) & 0x3f));
    put(0x80 | (point & 0x3f));
  } else {
    put(0xf0 | (point >> 18));
    put(0x80 | ((point >> 12) & 0x3f));
    put(0x80 | ((point >> 6) & 0x3f));
    put(0x80 | (point & 0x3f));
  }
}

}  // namespace

std::u16string Utf16FromWtf8(std::string_view text) {
  std::u16string units;
  units.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const char32_t point = Next(text, at);
    if (point < 0x10000) {
      units += static_cast<char16_t>(point);
    } else {
      units += static_cast<char16_t>(0xd800 + ((point - 0x10000) >> 10));
      units += static_cast<char16_t>(0xdc00 + ((point - 0x10000) & 0x3ff));
    }
  }
  return units;
}

std::string Wtf8FromUtf16(std::u16string_view units) {
  std::string text;
  text.reserve(units.size());
  for (size_t at = 0; at < units.size(); at++) {
    char32_t point = units[at];
    const bool high = point >= 0xd800 && point < 0xdc00;
    if (high && at + 1 < units.size() && units[at + 1] >= 0xdc00 && units[at + 1] < 0xe000) {
      point = 0x10000 + ((point - 0xd800) << 10) + (units[++at] - 0xdc00U);
    }
    AppendUtf8(text, point);
  }
  return text;
}

bool HasLoneSurrogate(std::string_view text) {
  for (size_t at = 0; at + 1 < text.size(); at++) {
    if (static_cast<unsigned char>(text[at]) == 0xed && static_cast<unsigned char>(text[at + 1]) >= 0xa0) return true;
  }
  return false;
}

}  // namespace argv_spawn
