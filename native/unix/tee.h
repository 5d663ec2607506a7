// Full copies of a stream into files, written by a thread of their own: a slow disk or a full named pipe must not hold
// up the thread that keeps everyone's deadlines.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/event.h"
#include "unix/fd.h"

namespace argv_spawn {

// One file. Written to in order; the first error stops it and is kept.
class TeeFile {
 public:
  // More than this much waiting: stop reading the pipe until some of it is written.
  static constexpr size_t kHighWater = 4 * 1024 * 1024;

  // `on_progress` runs on the tee thread after every block.
  TeeFile(UniqueFd fd, std::function<void()> on_progress) : fd_(std::move(fd)), on_progress_(std::move(on_progress)) {}

  size_t waiting() const { return waiting_.load(std::memory_order_acquire); }
  TeeReport Report() const;

 private:
  friend class TeeWriter;
  void WriteBlock(const std::vector<uint8_t>& block);

  UniqueFd fd_;
  std::function<void()> on_progress_;
  std::atomic<size_t> waiting_{0};
  mutable std::mutex mutex_;
  TeeReport report_;
};

class TeeWriter {
 public:
  // Service thread. Starts the thread on first use.
  void Submit(const std::shared_ptr<TeeFile>& file, const uint8_t* data, size_t size);

 private:
  struct Job {
    std::shared_ptr<TeeFile> file;
    std::vector<uint8_t> block;
  };
  void Main();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  bool started_ = false;
};

}  // namespace argv_spawn
