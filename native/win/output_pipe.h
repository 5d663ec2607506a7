// Our end of the child's stdout or stderr: read, and kept, streamed or thrown away. Service thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/collector.h"
#include "core/event.h"
#include "core/request.h"
#include "win/handle.h"
#include "win/operation.h"
#include "win/tee.h"

namespace argv_spawn {

class OutputPipe final : private OperationOwner {
 public:
  class Reader {
   public:
    // Where streamed chunks go.
    virtual void OnChunk(int stream, Bytes chunk) = 0;
    // A read has ended: bytes have arrived, or the end of the pipe. Call Pump to go on.
    virtual void OnOutput(OutputPipe& pipe, bool at_end) = 0;

   protected:
    ~Reader() = default;
  };

  OutputPipe(int stream, Reader& reader) : stream_(stream), reader_(reader) {}
  ~OutputPipe() { Close(); }
  OutputPipe(const OutputPipe&) = delete;
  OutputPipe& operator=(const OutputPipe&) = delete;

  // `handle` is associated with the completion port.
  void Open(UniqueHandle handle, const OutputSpec& spec, std::shared_ptr<TeeFile> tee);
  bool is_open() const { return static_cast<bool>(handle_); }
  bool streams() const { return mode_ == Mode::kStream; }
  int stream() const { return stream_; }

  // Starts a read when one is wanted: not without credit, not while the tee file lags. True: the end has come.
  bool Pump();
  // Everything that is in the pipe at this moment, credit or not: what the direct child wrote before its exit.
  // True: the end has come.
  bool Drain();

  void AddCredit(uint64_t bytes);
  // From now on bytes are read and thrown away.
  void Discard() { mode_ = Mode::kDiscard; }
  void Close();

  uint64_t captured() const { return captured_; }
  const std::shared_ptr<TeeFile>& tee() const { return tee_; }
  // What was kept, and how much there was; nothing for a stream that was not ours to read. Call once.
  std::optional<Capture> TakeCapture();

 private:
  enum class Mode { kCollect, kStream, kDiscard };
  void OnCompleted(std::unique_ptr<Operation> operation, size_t count, DWORD error) override;
  bool wants_to_read() const;
  void Consume(const uint8_t* data, size_t size);
  bool FinishPendingRead();

  int stream_;
  Reader& reader_;
  UniqueHandle handle_;
  Operation* reading_ = nullptr;  // owned by the kernel
  Mode mode_ = Mode::kDiscard;
  std::optional<Collector> collector_;
  uint64_t credit_ = 0;
  uint64_t captured_ = 0;  // bytes before the run was over
  bool opened_ = false;
  std::shared_ptr<TeeFile> tee_;
};

}  // namespace argv_spawn
