#include "core/clock.h"

#include <windows.h>

namespace argv_spawn {

uint64_t NowNs() {
  static const uint64_t frequency = [] {
    LARGE_INTEGER value;
    QueryPerformanceFrequency(&value);
    return static_cast<uint64_t>(value.QuadPart);
  }();
  LARGE_INTEGER ticks;
  QueryPerformanceCounter(&ticks);
  const auto now = static_cast<uint64_t>(ticks.QuadPart);
  constexpr uint64_t kSecond = 1'000'000'000;
  return now / frequency * kSecond + now % frequency * kSecond / frequency;
}

double WallClockMs() {
  constexpr double kFrom1601 = 11644473600000.0;  // milliseconds from 1601 to 1970
  FILETIME now;
  GetSystemTimePreciseAsFileTime(&now);
  const uint64_t ticks = (static_cast<uint64_t>(now.dwHighDateTime) << 32) | now.dwLowDateTime;
  return static_cast<double>(ticks) / 1e4 - kFrom1601;
}

}  // namespace argv_spawn
