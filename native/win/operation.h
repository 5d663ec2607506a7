// One overlapped operation. It owns its buffer until its completion has arrived, whatever happens to its owner
// meanwhile: the kernel writes into it until then.
#pragma once

#include <windows.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace argv_spawn {

class Operation;

class OperationOwner {
 public:
  // Service thread. The operation is the owner's again.
  virtual void OnCompleted(std::unique_ptr<Operation> operation, size_t count, DWORD error) = 0;

 protected:
  ~OperationOwner() = default;
};

class Operation : public OVERLAPPED {
 public:
  explicit Operation(OperationOwner* owner) : OVERLAPPED{}, owner_(owner) {}

  std::vector<uint8_t> buffer;

  // The owner is not interested any more: the completion, which still comes, only frees.
  void Abandon() { owner_ = nullptr; }
  // The completion has been taken from the port.
  static void Complete(OVERLAPPED* overlapped, size_t count, DWORD error) {
    std::unique_ptr<Operation> operation(static_cast<Operation*>(overlapped));
    OperationOwner* owner = operation->owner_;
    if (owner != nullptr) owner->OnCompleted(std::move(operation), count, error);
  }

 private:
  OperationOwner* owner_;
};

// Starts an operation by `call`, a ReadFile or WriteFile. 0 when its completion will come; else the error, and then
// `operation` is the caller's again.
template <typename Call>
DWORD StartOperation(std::unique_ptr<Operation>& operation, Call call) {
  Operation* started = operation.release();  // owned by the kernel until Complete
  static_cast<OVERLAPPED&>(*started) = OVERLAPPED{};
  if (call(started) != 0) return 0;
  const DWORD error = GetLastError();
  if (error == ERROR_IO_PENDING) return 0;
  operation.reset(started);
  return error;
}

}  // namespace argv_spawn
