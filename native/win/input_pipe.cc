#include "win/input_pipe.h"

#include <utility>

namespace argv_spawn {

namespace {
// What one write carries. Windows does not say how much of a cancelled write was taken, so slices are small.
constexpr size_t kSlice = 64 * 1024;
}  // namespace

void InputPipe::Open(UniqueHandle handle) {
  handle_ = std::move(handle);
  queue_.Open();
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

InputState InputPipe::Flush() {
  if (broken_) return InputState::kBroken;
  if (writing_ != nullptr) return InputState::kBlocked;
  const InputQueue::Slice slice = queue_.Next(kSlice);
  if (slice.size == 0) return queue_.emptied();
  auto operation = std::make_unique<Operation>(static_cast<OperationOwner*>(this));
  operation->buffer.assign(slice.data, slice.data + slice.size);
  Operation* started = operation.get();
  const DWORD error = StartOperation(operation, [this](Operation* one) {
    return WriteFile(handle_.get(), one->buffer.data(), static_cast<DWORD>(one->buffer.size()), nullptr, one);
  });
  if (error != 0) {
    broken_ = true;  // ERROR_NO_DATA: the child has closed its stdin, which is its right
    return InputState::kBroken;
  }
  writing_ = started;
  return InputState::kBlocked;
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
      queue_.Take(count);
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
  queue_.Close();
  Cancel(handle_.get(), writing_);
  Cancel(handle_.get(), hangup_);
  handle_.Reset();
}

}  // namespace argv_spawn
