#include "win/output_pipe.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace argv_spawn {

namespace {
constexpr size_t kRead = 64 * 1024;
}  // namespace

void OutputPipe::Open(UniqueHandle handle, const OutputSpec& spec, std::shared_ptr<TeeFile> tee) {
  handle_ = std::move(handle);
  opened_ = is_open();
  tee_ = std::move(tee);
  if (spec.kind == OutputSpec::Kind::kCollect) {
    mode_ = Mode::kCollect;
    collector_.emplace(spec.head, spec.tail);
  } else if (spec.kind == OutputSpec::Kind::kStream) {
    mode_ = Mode::kStream;
  }
}

bool OutputPipe::wants_to_read() const {
  if (!handle_ || reading_ != nullptr) return false;
  if (mode_ == Mode::kStream && credit_ == 0) return false;
  return !tee_ || tee_->waiting() < TeeFile::kHighWater;
}

void OutputPipe::AddCredit(uint64_t bytes) { credit_ = bytes > UINT64_MAX - credit_ ? UINT64_MAX : credit_ + bytes; }

bool OutputPipe::Pump() {
  if (!wants_to_read()) return false;
  auto operation = std::make_unique<Operation>(static_cast<OperationOwner*>(this));
  operation->buffer.resize(mode_ == Mode::kStream ? static_cast<size_t>(std::min<uint64_t>(credit_, kRead)) : kRead);
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
  Consume(operation->buffer.data(), count);
  reader_.OnOutput(*this, error != 0);
}

void OutputPipe::Consume(const uint8_t* data, size_t size) {
  if (size == 0 || mode_ == Mode::kDiscard) return;
  captured_ += size;
  if (tee_) tee_->Submit(data, size);
  if (mode_ == Mode::kStream) {
    credit_ -= std::min<uint64_t>(credit_, size);
    Bytes chunk;
    chunk.Append(data, size);
    reader_.OnChunk(stream_, std::move(chunk));
    return;
  }
  uint8_t nowhere[4096];
  while (size > 0) {
    const Collector::Space space = collector_->Next({nowhere, sizeof nowhere});
    const size_t step = std::min(space.size, size);
    std::memcpy(space.data, data, step);
    collector_->Commit(step);
    data += step;
    size -= step;
  }
}

// Takes the read that is under way out of the kernel's hands. True: it was the end.
bool OutputPipe::FinishPendingRead() {
  if (reading_ == nullptr) return false;
  Operation* pending = std::exchange(reading_, nullptr);
  CancelIoEx(handle_.get(), pending);
  DWORD count = 0;
  const BOOL read = GetOverlappedResult(handle_.get(), pending, &count, TRUE);
  const DWORD error = read != 0 ? ERROR_SUCCESS : GetLastError();
  Consume(pending->buffer.data(), count);
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
    Consume(buffer.data(), count);
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
}

std::optional<Capture> OutputPipe::TakeCapture() {
  if (!opened_) return std::nullopt;
  Capture capture;
  capture.bytes = captured_;
  if (collector_) {
    capture.head = collector_->TakeHead();
    capture.tail = collector_->TakeTail();
  }
  if (tee_) capture.tee = tee_->Report();
  return capture;
}

}  // namespace argv_spawn
