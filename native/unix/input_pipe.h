// Our end of the child's stdin: writes what the queue has, as far as the pipe takes it. Service thread only.
#pragma once

#include "core/input_queue.h"
#include "unix/fd.h"
#include "unix/lazy_buffer.h"

namespace argv_spawn {

class InputPipe {
 public:
  explicit InputPipe(InputQueue& queue) : queue_(queue) {}

  void Open(UniqueFd fd);
  int fd() const { return fd_.get(); }
  // Writes what can be written now.
  InputState Flush(LazyBuffer& bounce);
  void Close();

 private:
  InputQueue& queue_;
  UniqueFd fd_;
};

}  // namespace argv_spawn
