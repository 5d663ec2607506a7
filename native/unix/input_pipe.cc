#include "unix/input_pipe.h"

#include <algorithm>
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

void InputPipe::Push(Bytes chunk) {
  if (closed_ || ending_ || chunk.size() == 0) return;
  waiting_ += chunk.size();
  queue_.push_back(std::move(chunk));
}

InputPipe::State InputPipe::Flush() {
  while (fd_ && !queue_.empty()) {
    Bytes& chunk = queue_.front();
    const uint8_t* from = chunk.data() + offset_;
    size_t size = chunk.size() - offset_;
    if (chunk.size() > kBounce) {
      size = std::min(size, kBounce);
      std::memcpy(BounceBuffer().data(), from, size);
      from = BounceBuffer().data();
    }
    const ssize_t count = write(fd_.get(), from, size);
    const int error = errno;
    if (count < 0) {
      if (error == EINTR) continue;
      if (error == EAGAIN) return State::kBlocked;
      return State::kBroken;  // EPIPE: the child has closed its stdin, which is its right
    }
    const auto taken = static_cast<size_t>(count);
    if (written_ < kBusyPipe && written_ + taken >= kBusyPipe) EnlargePipe(fd_.get());
    offset_ += taken;
    waiting_ -= taken;
    written_ += taken;
    if (offset_ == chunk.size()) {
      queue_.pop_front();
      offset_ = 0;
    }
    if (taken < size) return State::kBlocked;
  }
  return ending_ ? State::kComplete : State::kIdle;
}

void InputPipe::Close() {
  closed_ = true;
  closed_early_ = closed_early_ || waiting_ > 0;
  queue_.clear();
  offset_ = 0;
  waiting_ = 0;
  fd_.Reset();
}

}  // namespace argv_spawn
