#include "win/environment.h"

#include <windows.h>

#include "core/engine.h"
#include "win/wide.h"

namespace argv_spawn {

char16_t UpcaseUnit(char16_t unit) {
  if (unit < 0x80) return unit >= u'a' && unit <= u'z' ? static_cast<char16_t>(unit - 32) : unit;
  wchar_t upper = static_cast<wchar_t>(unit);
  // The invariant locale maps units by the same table as the kernel does for names, without any language's rules.
  const int done = LCMapStringEx(LOCALE_NAME_INVARIANT, LCMAP_UPPERCASE, &upper, 1, &upper, 1, nullptr, nullptr, 0);
  return done == 1 ? static_cast<char16_t>(upper) : unit;
}

std::optional<std::string> FindInEnvironment(const std::string& block, std::string_view name) {
  std::optional<std::string> found;
  for (size_t at = 0; at < block.size();) {
    const std::string_view entry(block.data() + at);
    at += entry.size() + 1;
    if (entry.size() <= name.size() || entry[name.size()] != '=') continue;
    bool same = true;
    for (size_t i = 0; i < name.size(); i++) {
      same =
          same && UpcaseUnit(static_cast<unsigned char>(entry[i])) == UpcaseUnit(static_cast<unsigned char>(name[i]));
    }
    if (same) found = std::string(entry.substr(name.size() + 1));
  }
  return found;
}

std::string HostEnvironment() {
  std::string block;
  wchar_t* environment = GetEnvironmentStringsW();
  if (environment == nullptr) return block;
  for (const wchar_t* at = environment; *at != L'\0';) {
    const std::wstring_view entry(at);
    block += Narrow(entry);
    block += '\0';
    at += entry.size() + 1;
  }
  FreeEnvironmentStringsW(environment);
  return block;
}

}  // namespace argv_spawn
