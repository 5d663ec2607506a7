#include "unix/input_pipe.h"

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "unix/descriptors.h"

namespace argv_spawn {

namespace {
// Copied here before each write. On virtual machines with shadowed page tables a write straight from a large block
// that the kernel has not seen yet costs a fault for every page; one reused buffer costs them once.
constexpr size_t kBounce = 256 * 1024;

std::vector<uint8_t>& BounceBuffer() {
  static auto* buffer = new std::vector<uint8_t>(kBounce);  // never freed: the service thread never ends
  return *buffer;
}
}  // namespace

void InputPipe::Open(UniqueFd fd) {
  fd_ = std::move(fd);
  queue_.Open();
}

InputState InputPipe::Flush() {
  while (queue_.waiting() > 0) {
    const InputQueue::Slice slice = queue_.Next(kBounce);
    const uint8_t* from = slice.data;
    if (slice.block > kBounce) {
      std::memcpy(BounceBuffer().data(), from, slice.size);
      from = BounceBuffer().data();
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
