#include "core/collector.h"

#include <algorithm>
#include <cstring>

namespace argv_spawn {

namespace {
// One read never asks for more; it also bounds how far a block is grown ahead of its data.
constexpr size_t kChunk = 1024 * 1024;
constexpr size_t kFirstChunk = 64 * 1024;
// Less room than this is filled by way of the scratch space: a read of a few bytes costs as much as one of many.
constexpr size_t kSmallestRead = 16 * 1024;
}  // namespace

Collector::Space Collector::HeadSpace() {
  if (refused_ || head_.size() >= head_cap_) return {nullptr, 0};
  const uint64_t left = head_cap_ - head_.size();
  const size_t step = head_.size() < kFirstChunk ? kFirstChunk : kChunk;
  const auto wanted = static_cast<size_t>(std::min<uint64_t>(left, step));
  const size_t expected = static_cast<size_t>(std::min<uint64_t>(head_cap_, SIZE_MAX));
  // Half a chunk of room is enough: growing for the last bytes of every read would double the work.
  if (head_.room() < std::min(wanted, step / 2) && !head_.Reserve(wanted, expected)) {
    refused_ = true;
    return {nullptr, 0};
  }
  const size_t size = std::min(head_.room(), static_cast<size_t>(std::min<uint64_t>(left, kChunk)));
  head_.Populate(size);
  return {head_.end(), size};
}

Collector::Space Collector::TailSpace() {
  if (tail_cap_ == 0) return {nullptr, 0};
  const auto cap = static_cast<size_t>(std::min<uint64_t>(tail_cap_, SIZE_MAX));
  if (ring_at_ == cap) {
    ring_at_ = 0;
    ring_wrapped_ = true;
  }
  if (!ring_wrapped_ && !ring_.Reserve(std::min(kFirstChunk, cap - ring_at_), cap)) return {nullptr, 0};
  const size_t end = ring_wrapped_ ? cap : std::min(cap, ring_.size() + ring_.room());
  return {ring_.data() + ring_at_, std::min(end - ring_at_, kChunk)};
}

void Collector::AdvanceTail(size_t count) {
  ring_at_ += count;
  if (!ring_wrapped_) ring_.Advance(count);
}

Collector::Space Collector::Next(Space scratch) {
  const Space head = HeadSpace();
  const Space space = head.size > 0 ? head : TailSpace();
  if (space.size >= std::min(kSmallestRead, scratch.size)) {
    target_ = head.size > 0 ? Target::kHead : Target::kTail;
    return space;
  }
  target_ = Target::kScratch;
  scratch_ = scratch.data;
  return scratch;
}

void Collector::Commit(size_t count) {
  total_ += count;
  if (target_ == Target::kHead) {
    head_.Advance(count);
  } else if (target_ == Target::kTail) {
    AdvanceTail(count);
  } else {
    Distribute(scratch_, count);
  }
}

void Collector::Distribute(const uint8_t* data, size_t count) {
  for (Space space = HeadSpace(); count > 0 && space.size > 0; space = HeadSpace()) {
    const size_t size = std::min(space.size, count);
    std::memcpy(space.data, data, size);
    head_.Advance(size);
    data += size;
    count -= size;
  }
  // What the same bytes would overwrite again is not written at all.
  if (count > tail_cap_) {
    data += count - tail_cap_;
    count = static_cast<size_t>(tail_cap_);
  }
  while (count > 0) {
    const Space space = TailSpace();
    if (space.size == 0) return;
    const size_t size = std::min(space.size, count);
    std::memcpy(space.data, data, size);
    AdvanceTail(size);
    data += size;
    count -= size;
  }
}

uint64_t Collector::Skippable(uint64_t pending) const {
  if (!refused_ && head_.size() < head_cap_) return 0;
  return pending > tail_cap_ ? pending - tail_cap_ : 0;
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
