#include "win/output_pipe.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace argv_spawn {

namespace {
constexpr size_t kRead = 64 * 1024;
}  // namespace

void OutputPipe::Open(UniqueHandle handle, const OutputSpec& spec, std::shared_ptr<TeeFile> tee) {
  if (!handle) return;
  handle_ = std::move(handle);
  stream_.Open(spec, std::move(tee));
}

bool OutputPipe::Pump() {
  if (reading_ != nullptr || !stream_.wants_bytes()) return false;
  auto operation = std::make_unique<Operation>(static_cast<OperationOwner*>(this));
  operation->buffer.resize(stream_.Allowed(kRead));
  Operation* started = operation.get();
  const DWORD error = StartOperation(operation, [this](Operation* one) {
    return ReadFile(handle_.get(), one->buffer.data(), static_cast<DWORD>(one->buffer.size()), nullptr, one);
  });
  if (error != 0) return true;  // ERROR_BROKEN_PIPE; no other error is known for a pipe, it would be its end
  reading_ = started;
  return false;
}

void OutputPipe::OnCompleted(std::unique_ptr<Operation> operation, size_t count, DWORD error) {
  reading_ = nullptr;
  stream_.Copy(operation->buffer.data(), count);
  watcher_.OnOutput(*this, count, error != 0);
}

// Takes the read that is under way out of the kernel's hands. True: it was the end.
bool OutputPipe::FinishPendingRead() {
  if (reading_ == nullptr) return false;
  Operation* pending = std::exchange(reading_, nullptr);
  CancelIoEx(handle_.get(), pending);
  DWORD count = 0;
  const BOOL read = GetOverlappedResult(handle_.get(), pending, &count, TRUE);
  const DWORD error = read != 0 ? ERROR_SUCCESS : GetLastError();
  stream_.Copy(pending->buffer.data(), count);
  pending->Abandon();  // its completion is on the way to the port, which frees it
  return error != ERROR_SUCCESS && error != ERROR_OPERATION_ABORTED;
}

bool OutputPipe::Drain() {
  if (!handle_) return false;
  if (FinishPendingRead()) return true;
  DWORD left = 0;
  if (PeekNamedPipe(handle_.get(), nullptr, 0, nullptr, &left, nullptr) == 0) return true;
  // Without the event's lowest bit set the completion would also go to the port (GetQueuedCompletionStatus).
  const UniqueHandle event(CreateEventW(nullptr, TRUE, FALSE, nullptr));
  if (!event) return false;
  std::vector<uint8_t> buffer(kRead);
  while (left > 0) {
    OVERLAPPED overlapped{};
    overlapped.hEvent = reinterpret_cast<HANDLE>(reinterpret_cast<uintptr_t>(event.get()) | 1);
    const DWORD wanted = std::min<DWORD>(left, kRead);
    DWORD count = 0;
    if (ReadFile(handle_.get(), buffer.data(), wanted, nullptr, &overlapped) == 0 &&
        GetLastError() != ERROR_IO_PENDING) {
      return true;
    }
    if (GetOverlappedResult(handle_.get(), &overlapped, &count, TRUE) == 0) return true;
    stream_.Copy(buffer.data(), count);
    left -= std::min(left, count);
  }
  // Descendants may go on writing; whether anyone still can is what the caller wants to know.
  return PeekNamedPipe(handle_.get(), nullptr, 0, nullptr, &left, nullptr) == 0;
}

void OutputPipe::Close() {
  if (reading_ != nullptr) {
    CancelIoEx(handle_.get(), reading_);
    reading_->Abandon();
    reading_ = nullptr;
  }
  handle_.Reset();
  stream_.Close();
}

}  // namespace argv_spawn
