#include "core/bytes.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace argv_spawn {

namespace {
constexpr size_t kSmallest = 64 * 1024;
// What is reserved at once for a block whose final size is unknown or larger; touched pages are what it costs.
constexpr size_t kReserveAtOnce = size_t{1} << 30;
// A large block is made present in steps: a huge page where there is one.
constexpr size_t kPopulateStep = 2 * 1024 * 1024;
}  // namespace

Bytes::Bytes(Bytes&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      capacity_(std::exchange(other.capacity_, 0)),
      populated_(std::exchange(other.populated_, 0)),
      pages_(std::exchange(other.pages_, false)) {}

Bytes& Bytes::operator=(Bytes&& other) noexcept {
  if (this != &other) {
    Free();
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
    populated_ = std::exchange(other.populated_, 0);
    pages_ = std::exchange(other.pages_, false);
  }
  return *this;
}

Bytes::~Bytes() { Free(); }

void Bytes::Free() {
  if (pages_) {
    Pages pages{data_, capacity_};
    FreePages(pages);
  } else {
    std::free(data_);
  }
}

bool Bytes::Reserve(size_t more, size_t expected) {
  if (room() >= more) return true;
  if (more > SIZE_MAX - size_) return false;
  const size_t needed = size_ + more;
  if (!pages_ && needed <= kPagesFrom) {
    const size_t wanted = std::max({needed, kSmallest, std::min(capacity_ * 2, kPagesFrom)});
    auto* grown = static_cast<uint8_t*>(std::realloc(data_, wanted));
    if (grown == nullptr) return false;
    data_ = grown;
    capacity_ = wanted;
    return true;
  }
  if (!pages_) {
    Pages fresh = ReservePages(std::max(needed, std::min(expected, kReserveAtOnce)));
    if (fresh.data == nullptr) fresh = ReservePages(std::max(needed, capacity_ * 2));
    if (fresh.data == nullptr) return false;
    if (size_ > 0) std::memcpy(fresh.data, data_, size_);
    std::free(data_);
    data_ = fresh.data;
    capacity_ = fresh.capacity;
    pages_ = true;
    return true;
  }
  Pages pages{data_, capacity_};
  const size_t doubled = capacity_ > SIZE_MAX / 2 ? needed : std::max(needed, capacity_ * 2);
  if (!GrowPages(pages, std::max(needed, std::min(doubled, expected))) && !GrowPages(pages, needed)) return false;
  data_ = pages.data;
  capacity_ = pages.capacity;
  return true;
}

void Bytes::Populate(size_t more) {
  const size_t needed = size_ + more;
  if (!pages_ || needed <= populated_) return;
  const size_t from = std::max(size_, populated_);
  const size_t step = (needed + kPopulateStep - 1) / kPopulateStep * kPopulateStep;
  populated_ = std::min(step, capacity_);
  PopulatePages(Pages{data_, capacity_}, from, populated_);
}

bool Bytes::Append(const uint8_t* from, size_t count) {
  if (count == 0) return true;
  if (!Reserve(count, SIZE_MAX)) return false;
  Populate(count);
  std::memcpy(end(), from, count);
  size_ += count;
  return true;
}

void Bytes::Shrink() {
  if (pages_) {
    Pages pages{data_, capacity_};
    TrimPages(pages, size_);
    capacity_ = pages.capacity;
  } else if (size_ > 0 && size_ < capacity_) {
    auto* smaller = static_cast<uint8_t*>(std::realloc(data_, size_));
    if (smaller == nullptr) return;
    data_ = smaller;
    capacity_ = size_;
  }
}

}  // namespace argv_spawn
