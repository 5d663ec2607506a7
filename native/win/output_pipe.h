// Our end of the child's stdout or stderr: reads what the stream wants to have. Service thread only.
#pragma once

#include <cstdint>
#include <memory>

#include "core/output_stream.h"
#include "win/handle.h"
#include "win/operation.h"

namespace argv_spawn {

class OutputPipe final : private OperationOwner {
 public:
  class Watcher {
   public:
    // A read has ended: bytes have arrived, or the end of the pipe. Call Pump to go on.
    virtual void OnOutput(OutputPipe& pipe, size_t bytes, bool at_end) = 0;

   protected:
    ~Watcher() = default;
  };

  OutputPipe(OutputStream& stream, Watcher& watcher) : stream_(stream), watcher_(watcher) {}
  ~OutputPipe() { Close(); }
  OutputPipe(const OutputPipe&) = delete;
  OutputPipe& operator=(const OutputPipe&) = delete;

  // `handle` is associated with the completion port.
  void Open(UniqueHandle handle, const OutputSpec& spec, std::shared_ptr<TeeFile> tee);
  OutputStream& stream() { return stream_; }

  // Starts a read when the stream wants bytes. True: the end has come.
  bool Pump();
  // Everything that is in the pipe at this moment, credit or not: what the direct child wrote before its exit.
  // True: the end has come.
  bool Drain();

  void Close();

 private:
  void OnCompleted(std::unique_ptr<Operation> operation, size_t count, DWORD error) override;
  bool FinishPendingRead();

  OutputStream& stream_;
  Watcher& watcher_;
  UniqueHandle handle_;
  Operation* reading_ = nullptr;  // owned by the kernel
};

}  // namespace argv_spawn
