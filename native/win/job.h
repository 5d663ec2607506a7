// The job object of one run: everything the program starts is in it, and goes with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/failure.h"
#include "win/handle.h"

namespace argv_spawn {

class Job {
 public:
  // Kills what is in it when its last handle is closed, which the kernel does when this process ends in any way.
  // Nobody in it may break away. Nests in whatever job this process is in (Windows 8).
  static Result<Job> Make();

  Job() = default;
  explicit operator bool() const { return static_cast<bool>(handle_); }
  HANDLE get() const { return handle_.get(); }

  // Messages of the job go to `port` with `key`.
  void Watch(HANDLE port, ULONG_PTR key);
  std::vector<DWORD> Members() const;
  bool IsEmpty() const;
  // 0 or the error.
  DWORD Terminate(uint32_t code);
  // Lets what is in it live on after the handle is closed.
  void Release();
  void Close() { handle_.Reset(); }

 private:
  bool SetLimits(DWORD flags);
  UniqueHandle handle_;
};

// File name of a process's program; empty when it cannot be had.
std::string ProgramName(DWORD pid);
// The system's own helper that draws, or hides, a console. It comes and goes with the programs on that console.
bool IsConsoleHost(DWORD pid);

}  // namespace argv_spawn
