// Our end of the child's stdin: a queue of bytes, written one slice at a time. Service thread only.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "core/bytes.h"
#include "win/handle.h"
#include "win/operation.h"

namespace argv_spawn {

class InputPipe final : private OperationOwner {
 public:
  enum class State {
    kIdle,      // nothing to write
    kBusy,      // a slice is under way
    kComplete,  // everything is written and End was called: to be closed
    kBroken,    // the reader has gone: to be closed
  };
  // Told when a slice has been taken or the reader has gone: call Flush.
  class Watcher {
   public:
    virtual void OnInputProgress() = 0;

   protected:
    ~Watcher() = default;
  };

  explicit InputPipe(Watcher& watcher) : watcher_(watcher) {}
  ~InputPipe() { Close(); }
  InputPipe(const InputPipe&) = delete;
  InputPipe& operator=(const InputPipe&) = delete;

  // What was pushed before is kept for it. `handle` is associated with the completion port.
  void Open(UniqueHandle handle);
  bool is_open() const { return static_cast<bool>(handle_); }

  void Push(Bytes chunk);
  void End() { ending_ = true; }
  // Starts what can be started now.
  State Flush();
  // For good; whatever waits is dropped.
  void Close();

  size_t waiting() const { return waiting_; }
  uint64_t written() const { return written_; }
  // Closed before everything that was pushed had been taken.
  bool closed_early() const { return closed_early_; }

 private:
  void OnCompleted(std::unique_ptr<Operation> operation, size_t count, DWORD error) override;
  void WatchForHangup();
  static void Cancel(HANDLE handle, Operation*& pending);

  Watcher& watcher_;
  UniqueHandle handle_;
  Operation* writing_ = nullptr;  // owned by the kernel
  Operation* hangup_ = nullptr;   // owned by the kernel: a read that ends when the reader has gone
  std::deque<Bytes> queue_;
  size_t offset_ = 0;  // into the first of the queue
  size_t waiting_ = 0;
  uint64_t written_ = 0;
  bool ending_ = false;
  bool broken_ = false;
  bool closed_ = false;
  bool closed_early_ = false;
};

}  // namespace argv_spawn
