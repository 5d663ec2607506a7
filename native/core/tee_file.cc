#include "core/tee_file.h"

#include <utility>

namespace argv_spawn {

TeeReport TeeFile::Report() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return report_;
}

void TeeFile::Submit(const uint8_t* data, size_t size) {
  waiting_.fetch_add(size, std::memory_order_relaxed);
  std::lock_guard<std::mutex> lock(mutex_);
  blocks_.emplace_back(data, data + size);
  if (active_) return;
  active_ = RunElsewhere([self = shared_from_this()] { self->WriteAll(); });
  if (active_) return;
  if (report_.error.empty()) report_.error = "EAGAIN";
  blocks_.clear();
  waiting_.store(0, std::memory_order_release);
}

// Writing thread.
void TeeFile::WriteAll() {
  for (;;) {
    std::vector<uint8_t> block;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (blocks_.empty()) {
        active_ = false;
        return;
      }
      block = std::move(blocks_.front());
      blocks_.pop_front();
    }
    WriteBlock(block);
    waiting_.fetch_sub(block.size(), std::memory_order_release);
    on_progress_();
  }
}

void TeeFile::WriteBlock(const std::vector<uint8_t>& block) {
  std::string error = Report().error;
  for (size_t done = 0; error.empty() && done < block.size();) {
    const size_t count = Write(block.data() + done, block.size() - done, error);
    done += count;
    std::lock_guard<std::mutex> lock(mutex_);
    report_.bytes += count;
    report_.error = error;
  }
}

}  // namespace argv_spawn
