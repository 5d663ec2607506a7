// The only owner of handles.
#pragma once

#include <windows.h>

#include <utility>

namespace argv_spawn {

// Closing never changes the last error, so a clean-up path cannot replace the error that caused it.
class UniqueHandle {
 public:
  UniqueHandle() = default;
  // Both "no handle" values of Windows are empty here.
  explicit UniqueHandle(HANDLE handle) : handle_(handle == INVALID_HANDLE_VALUE ? nullptr : handle) {}
  UniqueHandle(UniqueHandle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  UniqueHandle& operator=(UniqueHandle&& other) noexcept {
    if (this != &other) Reset(std::exchange(other.handle_, nullptr));
    return *this;
  }
  UniqueHandle(const UniqueHandle&) = delete;
  UniqueHandle& operator=(const UniqueHandle&) = delete;
  ~UniqueHandle() { Reset(); }

  HANDLE get() const { return handle_; }
  explicit operator bool() const { return handle_ != nullptr; }
  void Reset(HANDLE handle = nullptr) {
    const DWORD saved = GetLastError();
    if (handle_ != nullptr) CloseHandle(handle_);
    SetLastError(saved);
    handle_ = handle;
  }

 private:
  HANDLE handle_ = nullptr;
};

}  // namespace argv_spawn
