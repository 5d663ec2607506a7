#include "win/input_pipe.h"

#include <algorithm>
#include <utility>

namespace argv_spawn {

namespace {
// What one write carries. Windows does not say how much of a cancelled write was taken, so slices are small.
constexpr size_t kSlice = 64 * 1024;
}  // namespace

void InputPipe::Open(UniqueHandle handle) {
  handle_ = std::move(handle);
  WatchForHangup();
}

void InputPipe::WatchForHangup() {
  auto operation = std::make_unique<Operation>(static_cast<OperationOwner*>(this));
  operation->buffer.resize(1);
  Operation* started = operation.get();
  const DWORD error = StartOperation(
      operation, [this](Operation* one) { return ReadFile(handle_.get(), one->buffer.data(), 1, nullptr, one); });
  if (error == 0) {
    hangup_ = started;
  } else {
    broken_ = true;
  }
}

void InputPipe::Push(Bytes chunk) {
  if (closed_ || ending_ || chunk.size() == 0) return;
  waiting_ += chunk.size();
  queue_.push_back(std::move(chunk));
}

InputPipe::State InputPipe::Flush() {
  if (broken_) return State::kBroken;
  if (writing_ != nullptr) return State::kBusy;
  if (!handle_ || queue_.empty()) return ending_ ? State::kComplete : State::kIdle;
  const Bytes& chunk = queue_.front();
  auto operation = std::make_unique<Operation>(static_cast<OperationOwner*>(this));
  const size_t size = std::min(kSlice, chunk.size() - offset_);
  operation->buffer.assign(chunk.data() + offset_, chunk.data() + offset_ + size);
  Operation* started = operation.get();
  const DWORD error = StartOperation(operation, [this](Operation* one) {
    return WriteFile(handle_.get(), one->buffer.data(), static_cast<DWORD>(one->buffer.size()), nullptr, one);
  });
  if (error != 0) {
    broken_ = true;  // ERROR_NO_DATA: the child has closed its stdin, which is its right
    return State::kBroken;
  }
  writing_ = started;
  return State::kBusy;
}

void InputPipe::OnCompleted(std::unique_ptr<Operation> operation, size_t count, DWORD error) {
  if (operation.get() == hangup_) {
    hangup_ = nullptr;
    broken_ = true;
  } else {
    writing_ = nullptr;
    if (error != 0) {
      broken_ = true;
    } else {
      offset_ += count;
      waiting_ -= count;
      written_ += count;
      if (offset_ == queue_.front().size()) {
        queue_.pop_front();
        offset_ = 0;
      }
    }
  }
  watcher_.OnInputProgress();
}

void InputPipe::Cancel(HANDLE handle, Operation*& pending) {
  if (pending == nullptr) return;
  CancelIoEx(handle, pending);
  pending->Abandon();
  pending = nullptr;
}

void InputPipe::Close() {
  closed_ = true;
  closed_early_ = closed_early_ || waiting_ > 0;
  Cancel(handle_.get(), writing_);
  Cancel(handle_.get(), hangup_);
  queue_.clear();
  offset_ = 0;
  waiting_ = 0;
  handle_.Reset();
}

}  // namespace argv_spawn
