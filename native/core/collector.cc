#include "core/collector.h"

#include <algorithm>

namespace argv_spawn {

namespace {
// One read never asks for more; it also bounds how far a block is grown ahead of its data.
constexpr size_t kChunk = 1024 * 1024;
constexpr size_t kFirstChunk = 64 * 1024;
}  // namespace

Collector::Space Collector::Next(Space scratch) {
  if (!refused_ && head_.size() < head_cap_) {
    const uint64_t left = head_cap_ - head_.size();
    const size_t step = head_.size() < kFirstChunk ? kFirstChunk : kChunk;
    const auto wanted = static_cast<size_t>(std::min<uint64_t>(left, step));
    const size_t expected = static_cast<size_t>(std::min<uint64_t>(head_cap_, SIZE_MAX));
    // Half a chunk of room is enough: growing for the last bytes of every read would double the work.
    if (head_.room() >= std::min(wanted, step / 2) || head_.Reserve(wanted, expected)) {
      target_ = Target::kHead;
      return {head_.end(), std::min(head_.room(), static_cast<size_t>(std::min<uint64_t>(left, kChunk)))};
    }
    refused_ = true;
  }
  if (tail_cap_ > 0) {
    const auto cap = static_cast<size_t>(std::min<uint64_t>(tail_cap_, SIZE_MAX));
    if (ring_wrapped_ || ring_at_ == ring_.size()) {
      if (ring_at_ == cap) {
        ring_at_ = 0;
        ring_wrapped_ = true;
      }
      if (!ring_wrapped_ && !ring_.Reserve(std::min(kFirstChunk, cap - ring_at_), cap)) {
        target_ = Target::kNowhere;
        return scratch;
      }
    }
    target_ = Target::kTail;
    const size_t end = ring_wrapped_ ? cap : std::min(cap, ring_.size() + ring_.room());
    return {ring_.data() + ring_at_, std::min(end - ring_at_, kChunk)};
  }
  target_ = Target::kNowhere;
  return scratch;
}

void Collector::Commit(size_t count) {
  total_ += count;
  if (target_ == Target::kHead) {
    head_.Advance(count);
  } else if (target_ == Target::kTail) {
    ring_at_ += count;
    if (!ring_wrapped_) ring_.Advance(count);
  }
}

Bytes Collector::TakeHead() {
  head_.Shrink();
  return std::move(head_);
}

Bytes Collector::TakeTail() {
  if (!ring_wrapped_) {
    ring_.Shrink();
    return std::move(ring_);
  }
  Bytes straight;
  const size_t size = ring_.size();
  if (straight.Reserve(size, size)) {
    straight.Append(ring_.data() + ring_at_, size - ring_at_);
    straight.Append(ring_.data(), ring_at_);
  }
  straight.Shrink();
  ring_ = Bytes();
  return straight;
}

}  // namespace argv_spawn
