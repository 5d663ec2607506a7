// Our end of the child's stdin: writes what the queue has, one slice at a time. Service thread only.
#pragma once

#include <memory>

#include "core/input_queue.h"
#include "win/handle.h"
#include "win/operation.h"

namespace argv_spawn {

class InputPipe final : private OperationOwner {
 public:
  // Told when a slice has been taken or the reader has gone: call Flush.
  class Watcher {
   public:
    virtual void OnInputProgress() = 0;

   protected:
    ~Watcher() = default;
  };

  InputPipe(InputQueue& queue, Watcher& watcher) : queue_(queue), watcher_(watcher) {}
  ~InputPipe() { Close(); }
  InputPipe(const InputPipe&) = delete;
  InputPipe& operator=(const InputPipe&) = delete;

  // `handle` is associated with the completion port.
  void Open(UniqueHandle handle);
  // Starts what can be started now.
  InputState Flush();
  void Close();

 private:
  void OnCompleted(std::unique_ptr<Operation> operation, size_t count, DWORD error) override;
  void WatchForHangup();
  static void Cancel(HANDLE handle, Operation*& pending);

  InputQueue& queue_;
  Watcher& watcher_;
  UniqueHandle handle_;
  Operation* writing_ = nullptr;  // owned by the kernel
  Operation* hangup_ = nullptr;   // owned by the kernel: a read that ends when the reader has gone
  bool broken_ = false;
};

}  // namespace argv_spawn
