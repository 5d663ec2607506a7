// Bytes on their way to the child's stdin, in order. How they get into a pipe is the other half: unix/input_pipe.h,
// win/input_pipe.h. Service thread only, but for blocks().
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "core/bytes.h"
#include "core/input_blocks.h"

namespace argv_spawn {

// What a try to write has led to.
enum class InputState {
  kIdle,      // nothing is left to write
  kBlocked,   // the pipe is full, or a write is under way: more when that has changed
  kComplete,  // everything is written and the end was asked for: to be closed
  kBroken,    // the reader has gone: to be closed
};

class InputQueue {
 public:
  struct Slice {
    const uint8_t* data = nullptr;
    size_t size = 0;
    size_t block = 0;  // size of the block it is in
  };

  // There is a pipe to write to. What was pushed before is kept for it.
  void Open() { open_ = true; }
  bool is_open() const { return open_; }
  // For good; whatever waits is dropped.
  void Close();

  // Where the bytes to push are to be put, by any thread.
  InputBlocks& blocks() { return blocks_; }

  void Push(Bytes chunk);
  void End() { ending_ = true; }

  // The next bytes, `most` at most, in one piece; none when nothing waits.
  Slice Next(size_t most) const;
  // The pipe has taken so many of them.
  void Take(size_t count);
  // Of a pipe that takes more: kIdle, or kComplete, once nothing waits.
  InputState emptied() const { return ending_ ? InputState::kComplete : InputState::kIdle; }
  // Whether anything was pushed since it was last asked. Ask when nothing waits: whoever wrote is to be told.
  bool TakeDrained();

  size_t waiting() const { return waiting_; }
  uint64_t written() const { return written_; }
  // Closed before everything that was pushed had been taken.
  bool closed_early() const { return closed_early_; }

 private:
  InputBlocks blocks_;
  std::deque<Bytes> queue_;
  size_t offset_ = 0;  // into the first of the queue
  size_t waiting_ = 0;
  uint64_t written_ = 0;
  bool open_ = false;
  bool pushed_ = false;
  bool ending_ = false;
  bool closed_ = false;
  bool closed_early_ = false;
};

}  // namespace argv_spawn
