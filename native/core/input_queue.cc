#include "core/input_queue.h"

#include <algorithm>
#include <utility>

namespace argv_spawn {

void InputQueue::Close() {
  open_ = false;
  closed_ = true;
  closed_early_ = closed_early_ || waiting_ > 0;
  queue_.clear();
  blocks_.Close();
  offset_ = 0;
  waiting_ = 0;
}

void InputQueue::Push(Bytes chunk) {
  if (closed_ || ending_ || chunk.size() == 0) return;
  waiting_ += chunk.size();
  pushed_ = true;
  queue_.push_back(std::move(chunk));
}

InputQueue::Slice InputQueue::Next(size_t most) const {
  if (queue_.empty()) return Slice();
  const Bytes& block = queue_.front();
  return {block.data() + offset_, std::min(most, block.size() - offset_), block.size()};
}

void InputQueue::Take(size_t count) {
  offset_ += count;
  waiting_ -= count;
  written_ += count;
  if (offset_ == queue_.front().size()) {
    blocks_.GiveBack(std::move(queue_.front()));
    queue_.pop_front();
    offset_ = 0;
  }
}

bool InputQueue::TakeDrained() { return std::exchange(pushed_, false); }

}  // namespace argv_spawn
