#include "win/pipe_ends.h"

#include <atomic>
#include <string>

#include "core/clock.h"
#include "win/os_error.h"

namespace argv_spawn {

namespace {
constexpr DWORD kBuffer = 64 * 1024;

// Unique in this session; FIRST_PIPE_INSTANCE makes a clash an error and not a meeting.
std::wstring MakeName() {
  static std::atomic<uint64_t> next{0};
  return L"\\\\.\\pipe\\argv-spawn-" + std::to_wstring(GetCurrentProcessId()) + L"-" + std::to_wstring(NowNs()) + L"-" +
         std::to_wstring(next.fetch_add(1));
}
}  // namespace

const char* StreamName(int stream) { return stream == 0 ? "stdin" : stream == 1 ? "stdout" : "stderr"; }

Result<PipeEnds> OpenPipe(int stream) {
  const bool input = stream == 0;
  const std::wstring name = MakeName();
  PipeEnds ends;
  // For stdin duplex on our side, so that a read on it tells when the child closes its end. The child's end reads only.
  const DWORD direction = input ? PIPE_ACCESS_DUPLEX : PIPE_ACCESS_INBOUND;
  ends.ours = UniqueHandle(
      CreateNamedPipeW(name.c_str(), direction | FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE,
                       PIPE_TYPE_BYTE | PIPE_WAIT | PIPE_REJECT_REMOTE_CLIENTS, 1, kBuffer, kBuffer, 0, nullptr));
  if (!ends.ours) return OsFailure(Stage::kSetup, "CreateNamedPipeW", StreamName(stream), "", GetLastError());
  SECURITY_ATTRIBUTES inherit{sizeof inherit, nullptr, TRUE};
  const DWORD access = input ? GENERIC_READ | FILE_WRITE_ATTRIBUTES : GENERIC_WRITE | FILE_READ_ATTRIBUTES;
  ends.child = UniqueHandle(CreateFileW(name.c_str(), access, 0, &inherit, OPEN_EXISTING, 0, nullptr));
  if (!ends.child) return OsFailure(Stage::kSetup, "CreateFileW", StreamName(stream), "", GetLastError());
  return ends;
}

}  // namespace argv_spawn
