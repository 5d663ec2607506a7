#include "win/tee.h"

#include "win/os_error.h"
#include "win/threads.h"

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
  active_ = RunOnPool([self = shared_from_this()] { self->WriteAll(); });
  if (active_) return;
  report_.error = "EAGAIN";
  blocks_.clear();
  waiting_.store(0, std::memory_order_release);
}

// Pool thread.
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
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!report_.error.empty()) return;
  }
  DWORD count = 0;
  const BOOL written = WriteFile(file_.get(), block.data(), static_cast<DWORD>(block.size()), &count, nullptr);
  const DWORD error = written != 0 ? ERROR_SUCCESS : GetLastError();
  std::lock_guard<std::mutex> lock(mutex_);
  report_.bytes += count;
  if (error != ERROR_SUCCESS) report_.error = ErrorName(error);
}

}  // namespace argv_spawn
