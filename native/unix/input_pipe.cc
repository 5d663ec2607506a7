#include "unix/input_pipe.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include "unix/descriptors.h"

namespace argv_spawn {

void InputPipe::Open(UniqueFd fd) {
  fd_ = std::move(fd);
  queue_.Open();
}

// Copied to `bounce` before each write. On virtual machines with shadowed page tables a write straight from a large
// block that the kernel has not seen yet costs a fault for every page; one reused buffer costs them once.
InputState InputPipe::Flush(LazyBuffer& bounce) {
  while (queue_.waiting() > 0) {
    const InputQueue::Slice slice = queue_.Next(bounce.size());
    const uint8_t* from = slice.data;
    if (slice.block > bounce.size()) {
      std::memcpy(bounce.data(), from, slice.size);
      from = bounce.data();
    }
    const ssize_t count = write(fd_.get(), from, slice.size);
    const int error = errno;
    if (count < 0) {
      if (error == EINTR) continue;
      if (error == EAGAIN) return InputState::kBlocked;
      return InputState::kBroken;  // EPIPE: the child has closed its stdin, which is its right
    }
    const auto taken = static_cast<size_t>(count);
    if (queue_.written() < kBusyPipe && queue_.written() + taken >= kBusyPipe) EnlargePipe(fd_.get());
    queue_.Take(taken);
    if (taken < slice.size) return InputState::kBlocked;
  }
  return queue_.emptied();
}

void InputPipe::Close() {
  queue_.Close();
  fd_.Reset();
}

}  // namespace argv_spawn
