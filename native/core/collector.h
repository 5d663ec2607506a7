// Keeps the beginning and the end of a stream in bounded memory, and counts what it drops.
//
// Pure. The reader asks for space, reads straight into it, and commits: nothing is copied while the head fills, and
// the tail is a ring that is straightened once, when taken. Only where little room is left do bytes go through the
// reader's scratch space, so that a small cap does not mean small reads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/bytes.h"

namespace argv_spawn {

class Collector {
 public:
  static constexpr uint64_t kNoCap = UINT64_MAX;

  struct Space {
    uint8_t* data;
    size_t size;
  };

  // `head` bytes from the beginning are kept, `tail` from the end; kNoCap for `head` keeps everything.
  Collector(uint64_t head, uint64_t tail) : head_cap_(head), tail_cap_(tail) {}

  // Where the next bytes go. Never empty, and `scratch` when there is little room or none; it must stay valid until
  // Commit.
  Space Next(Space scratch);
  // `count` bytes have been written to the last Space.
  void Commit(size_t count);

  // Of `pending` bytes that are certain to come next, how many at their beginning will not be kept.
  uint64_t Skippable(uint64_t pending) const;
  // That many bytes at most have come and are gone. The rest of `pending` must follow.
  void Skip(uint64_t count) { total_ += count; }

  uint64_t total() const { return total_; }
  bool over_cap() const { return head_cap_ != kNoCap && total_ > head_cap_ + tail_cap_; }

  // Both leave the collector empty of data; totals stay.
  Bytes TakeHead();
  Bytes TakeTail();

 private:
  enum class Target { kHead, kTail, kScratch };

  // Room that follows what is kept, in one piece; empty when the part is full or memory was refused.
  Space HeadSpace();
  Space TailSpace();
  void AdvanceTail(size_t count);
  void Distribute(const uint8_t* data, size_t count);

  uint64_t head_cap_;
  uint64_t tail_cap_;
  uint64_t total_ = 0;
  Bytes head_;
  Bytes ring_;
  size_t ring_at_ = 0;  // next position to write
  bool ring_wrapped_ = false;
  bool refused_ = false;  // memory was refused: from then on bytes go to the ring or nowhere, and are counted
  Target target_ = Target::kScratch;
  const uint8_t* scratch_ = nullptr;
};

}  // namespace argv_spawn
