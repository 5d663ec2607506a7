#include "core/input_blocks.h"

#include <algorithm>
#include <utility>

namespace argv_spawn {

bool InputBlocks::Fill(const uint8_t* from, size_t size, std::vector<Bytes>& into) {
  for (size_t at = 0; at < size; at += kSize) {
    const size_t count = std::min(size - at, kSize);
    Bytes block = Take();
    // All of them alike from a size on, so that each can be used again.
    if (!block.Reserve(count > kSize / 4 ? kSize : count, kSize) || !block.Append(from + at, count)) return false;
    into.push_back(std::move(block));
  }
  return true;
}

Bytes InputBlocks::Take() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (kept_.empty()) return Bytes();
  Bytes block = std::move(kept_.back());
  kept_.pop_back();
  return block;
}

void InputBlocks::GiveBack(Bytes block) {
  block.Clear();
  if (block.room() != kSize) return;
  std::lock_guard<std::mutex> lock(mutex_);
  if (!closed_ && kept_.size() < kMostKept) kept_.push_back(std::move(block));
}

size_t InputBlocks::kept() {
  std::lock_guard<std::mutex> lock(mutex_);
  return kept_.size();
}

void InputBlocks::Close() {
  std::vector<Bytes> freed;
  std::lock_guard<std::mutex> lock(mutex_);
  closed_ = true;
  freed.swap(kept_);
}

}  // namespace argv_spawn
