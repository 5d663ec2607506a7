// Blocks that carry bytes from the thread that writes to the service thread, used again and again: memory that the heap
// gives back and takes anew costs a page fault for every page of every block. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "core/bytes.h"

namespace argv_spawn {

class InputBlocks {
 public:
  // Of a block that is kept for later. Larger ones are never made here.
  static constexpr size_t kSize = 256 * 1024;
  // What is kept at most.
  static constexpr size_t kMostKept = 8;

  // Copies `size` bytes to blocks at the end of `into`. False: out of memory.
  bool Fill(const uint8_t* from, size_t size, std::vector<Bytes>& into);
  // A block that has been read.
  void GiveBack(Bytes block);
  // Frees what is kept. What is given back later is not kept.
  void Close();
  size_t kept();

 private:
  Bytes Take();

  std::mutex mutex_;
  std::vector<Bytes> kept_;  // mutex_
  bool closed_ = false;      // mutex_
};

}  // namespace argv_spawn
