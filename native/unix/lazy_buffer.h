// A block of memory that exists from its first use on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace argv_spawn {

class LazyBuffer {
 public:
  explicit LazyBuffer(size_t size) : size_(size) {}

  uint8_t* data() {
    if (!data_) data_.reset(new uint8_t[size_]);  // not zeroed: pages that nobody writes to cost nothing
    return data_.get();
  }
  size_t size() const { return size_; }

 private:
  const size_t size_;
  std::unique_ptr<uint8_t[]> data_;
};

}  // namespace argv_spawn
