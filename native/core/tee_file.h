// A full copy of a stream into a file, written on another thread: a slow disk or a full named pipe must not hold up the
// thread that keeps everyone's deadlines, nor another run's file.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/event.h"

namespace argv_spawn {

// Written to in order; the first error stops it and is kept.
class TeeFile : public std::enable_shared_from_this<TeeFile> {
 public:
  // More than this much waiting: stop reading the pipe until some of it is written.
  static constexpr size_t kHighWater = 4 * 1024 * 1024;

  virtual ~TeeFile() = default;
  TeeFile(const TeeFile&) = delete;
  TeeFile& operator=(const TeeFile&) = delete;

  // Service thread. Copies the bytes.
  void Submit(const uint8_t* data, size_t size);
  // Bytes that are neither written nor given up. Any thread.
  size_t waiting() const { return waiting_.load(std::memory_order_acquire); }
  TeeReport Report() const;

 protected:
  // `on_progress` runs on the writing thread after every block.
  explicit TeeFile(std::function<void()> on_progress) : on_progress_(std::move(on_progress)) {}

 private:
  // Runs `job` on a thread that may block. False: there is none.
  virtual bool RunElsewhere(std::function<void()> job) = 0;
  // Writes some of the bytes, returns how many; with the name of an error when that is why they are not all.
  virtual size_t Write(const uint8_t* data, size_t size, std::string& error) = 0;

  void WriteAll();
  void WriteBlock(const std::vector<uint8_t>& block);

  std::function<void()> on_progress_;
  std::atomic<size_t> waiting_{0};
  mutable std::mutex mutex_;
  std::deque<std::vector<uint8_t>> blocks_;
  bool active_ = false;  // a thread is writing, or will be
  TeeReport report_;
};

}  // namespace argv_spawn
