// What becomes of the bytes of the child's stdout or stderr once they are read: kept, handed on by credit, or thrown
// away. How they are read from a pipe is the other half: unix/output_pipe.h, win/output_pipe.h. Service thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/collector.h"
#include "core/event.h"
#include "core/request.h"
#include "core/tee_file.h"

namespace argv_spawn {

class OutputStream {
 public:
  // Where streamed chunks go.
  class Reader {
   public:
    virtual void OnChunk(int stream, Bytes chunk) = 0;

   protected:
    ~Reader() = default;
  };

  OutputStream(int number, Reader& reader) : number_(number), reader_(reader) {}

  int number() const { return number_; }
  // There is a pipe to read. `spec` decides what becomes of what it brings; `tee` may be empty.
  void Open(const OutputSpec& spec, std::shared_ptr<TeeFile> tee);
  // There is none any more.
  void Close() { open_ = false; }
  bool is_open() const { return open_; }
  bool opened() const { return opened_; }  // it may be closed by now
  bool streams() const { return mode_ == Mode::kStream; }

  // Whether reading is wanted now: not without credit, not while the tee file lags.
  bool wants_bytes() const;
  // Of `most` bytes, how many may be read at once.
  size_t Allowed(size_t most) const;
  // Where to read to; `scratch` when nothing is kept of it. The caller says by Take what has come.
  Collector::Space Next(Collector::Space scratch);
  void Take(const Collector::Space& space, size_t count);
  // The same for bytes that have been read to somewhere else.
  void Copy(const uint8_t* data, size_t size);

  // Whether bytes may be dropped without being read, and of `pending` ones how many; see Collector.
  bool may_skip() const;
  uint64_t Skippable(uint64_t pending) const;
  void Skip(uint64_t count);

  void AddCredit(uint64_t bytes);
  // From now on bytes are thrown away.
  void Discard() { mode_ = Mode::kDiscard; }

  // More has come than the request allows.
  bool over_limit() const { return captured_ > kill_above_; }
  bool has_tee_waiting() const { return tee_ && tee_->waiting() > 0; }
  // What was kept, and how much there was; nothing for a stream that was not ours to read. Call once.
  std::optional<Capture> TakeCapture();

 private:
  enum class Mode { kCollect, kStream, kDiscard };

  const int number_;
  Reader& reader_;
  Mode mode_ = Mode::kDiscard;
  bool open_ = false;
  bool opened_ = false;
  std::optional<Collector> collector_;
  uint64_t credit_ = 0;
  uint64_t captured_ = 0;  // bytes before the run was over
  uint64_t kill_above_ = UINT64_MAX;
  std::shared_ptr<TeeFile> tee_;
};

}  // namespace argv_spawn
