// Waiting for descriptors on the service thread. Implemented once per mechanism: reactor_epoll.cc, reactor_kqueue.cc.
//
// What comes back is a token, never a pointer: a descriptor that was closed here may still be open in a half-started
// child of another thread, and the kernel then goes on reporting it (epoll(7), "Does closing a file descriptor cause
// it to be removed"). Whoever gets a token checks its generation.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/failure.h"
#include "core/service_loop.h"
#include "unix/fd.h"

namespace argv_spawn {

struct Ready {
  Token token;
  bool hangup;  // no writer is left (read end), or no reader (write end)
};

enum class Interest { kRead, kWrite, kHangup };

class Reactor {
 public:
  // Fails when the process is out of descriptors.
  std::optional<Failure> Open();
  bool is_open() const { return static_cast<bool>(queue_); }

  // errno, or 0. One interest per descriptor; Watch on a watched descriptor replaces it.
  int Watch(int fd, Interest interest, Token token, bool already_watched);
  // Must come before the descriptor is closed.
  void Unwatch(int fd);
  // The exit of `pid`; 0, or an errno: then a thread has to wait for it.
  int WatchExit(int pid, int exit_fd, Token token);
  void UnwatchExit(int pid, int exit_fd);

  // Fills `ready`; returns after `timeout_ns` (UINT64_MAX = none), an event, or Wake.
  void Wait(uint64_t timeout_ns, std::vector<Ready>& ready);
  // Any thread.
  void Wake();

 private:
  UniqueFd queue_;
  UniqueFd wake_read_;
  UniqueFd wake_write_;  // the same object as wake_read_ where the mechanism needs only one
};

}  // namespace argv_spawn
