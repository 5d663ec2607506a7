// Owner of one block of bytes that grows at its end and is handed over without a copy.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/pages.h"

namespace argv_spawn {

// Small blocks come from the heap, large ones (past kPagesFrom) from ReservePages.
class Bytes {
 public:
  static constexpr size_t kPagesFrom = 256 * 1024;

  Bytes() = default;
  Bytes(Bytes&& other) noexcept;
  Bytes& operator=(Bytes&& other) noexcept;
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  ~Bytes();

  uint8_t* data() { return data_; }
  const uint8_t* data() const { return data_; }
  size_t size() const { return size_; }
  size_t room() const { return capacity_ - size_; }
  uint8_t* end() { return data_ + size_; }

  // Makes room for at least `more` bytes past the end. `expected` is the largest size this block can reach
  // (SIZE_MAX when unknown): a large block reserves it at once. False: out of memory, nothing changed.
  bool Reserve(size_t more, size_t expected);
  // The caller has written `count` bytes at end().
  void Advance(size_t count) { size_ += count; }
  // `more` bytes at end(), of the room there is, are about to be written. Costs nothing for a small block.
  void Populate(size_t more);
  bool Append(const uint8_t* from, size_t count);
  // No bytes any more; the room is all that was.
  void Clear() { size_ = 0; }
  // Gives back unused memory; call once the block is final.
  void Shrink();

 private:
  void Free();

  uint8_t* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
  size_t populated_ = 0;  // of a large block
  bool pages_ = false;
};

}  // namespace argv_spawn
