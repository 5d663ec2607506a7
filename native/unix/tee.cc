#include "unix/tee.h"

#include <cerrno>

#include "unix/os_error.h"
#include "unix/threads.h"

namespace argv_spawn {

TeeReport TeeFile::Report() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return report_;
}

// Tee thread.
void TeeFile::WriteBlock(const std::vector<uint8_t>& block) {
  size_t done = 0;
  bool stopped;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stopped = !report_.error.empty();
  }
  while (!stopped && done < block.size()) {
    const ssize_t count = write(fd_.get(), block.data() + done, block.size() - done);
    const int error = errno;
    if (count < 0 && error == EINTR) continue;
    std::lock_guard<std::mutex> lock(mutex_);
    if (count < 0) {
      report_.error = ErrnoName(error);
      break;
    }
    done += static_cast<size_t>(count);
    report_.bytes += static_cast<uint64_t>(count);
  }
  waiting_.fetch_sub(block.size(), std::memory_order_release);
  on_progress_();
}

void TeeWriter::Submit(const std::shared_ptr<TeeFile>& file, const uint8_t* data, size_t size) {
  file->waiting_.fetch_add(size, std::memory_order_relaxed);
  std::lock_guard<std::mutex> lock(mutex_);
  jobs_.push_back({file, std::vector<uint8_t>(data, data + size)});
  if (!started_) started_ = StartThread("argv-spawn-tee", [this] { Main(); }) == 0;
  changed_.notify_one();
}

// Tee thread.
void TeeWriter::Main() {
  for (;;) {
    Job job;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [this] { return !jobs_.empty(); });
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    job.file->WriteBlock(job.block);
  }
}

}  // namespace argv_spawn
