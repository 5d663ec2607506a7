// Text between UTF-16, which Windows speaks, and the engine's strings.
//
// The engine's strings are WTF-8: UTF-8 in which half a surrogate pair stands as its own three bytes (ED A0..BF xx),
// so that every Windows string survives the round trip unchanged. Well-formed text is plain UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace argv_spawn {

// A byte that is not part of WTF-8 becomes U+FFFD; text that came from Wtf8FromUtf16 has none.
std::u16string Utf16FromWtf8(std::string_view text);
std::string Wtf8FromUtf16(std::u16string_view text);

// Whether `text` has half a surrogate pair.
bool HasLoneSurrogate(std::string_view text);

}  // namespace argv_spawn
