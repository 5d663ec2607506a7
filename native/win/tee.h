// Full copies of a stream into files, written on the system's pool: a slow disk must not hold up the thread that keeps
// everyone's deadlines.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "core/event.h"
#include "win/handle.h"

namespace argv_spawn {

// One file. Written to in order; the first error stops it and is kept.
class TeeFile : public std::enable_shared_from_this<TeeFile> {
 public:
  // More than this much waiting: stop reading the pipe until some of it is written.
  static constexpr size_t kHighWater = 4 * 1024 * 1024;

  // `on_progress` runs on a pool thread after every block.
  TeeFile(UniqueHandle file, std::function<void()> on_progress)
      : file_(std::move(file)), on_progress_(std::move(on_progress)) {}

  void Submit(const uint8_t* data, size_t size);
  size_t waiting() const { return waiting_.load(std::memory_order_acquire); }
  TeeReport Report() const;

 private:
  void WriteAll();
  void WriteBlock(const std::vector<uint8_t>& block);

  UniqueHandle file_;
  std::function<void()> on_progress_;
  std::atomic<size_t> waiting_{0};
  mutable std::mutex mutex_;
  std::deque<std::vector<uint8_t>> blocks_;
  bool active_ = false;  // a pool thread is writing, or will be
  TeeReport report_;
};

}  // namespace argv_spawn
