// Our end of the child's stdout or stderr: read, and kept, streamed or thrown away. Service thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/collector.h"
#include "core/event.h"
#include "core/request.h"
#include "unix/fd.h"
#include "unix/tee.h"

namespace argv_spawn {

class OutputPipe {
 public:
  // Where streamed chunks go.
  class Reader {
   public:
    virtual void OnChunk(int stream, Bytes chunk) = 0;

   protected:
    ~Reader() = default;
  };

  struct Progress {
    size_t bytes = 0;     // that arrived
    bool at_end = false;  // the end of the pipe was reached: to be closed
  };

  OutputPipe(int stream, Reader& reader) : stream_(stream), reader_(reader) {}

  void Open(UniqueFd fd, const OutputSpec& spec, std::shared_ptr<TeeFile> tee, TeeWriter& tee_writer);
  bool is_open() const { return static_cast<bool>(fd_); }
  bool opened() const { return opened_; }  // it may be closed by now
  int fd() const { return fd_.get(); }
  bool streams() const { return mode_ == Mode::kStream; }

  // Whether reading is wanted now: not without credit, not while the tee file lags, not while it rests.
  bool wants_to_read() const;
  // One turn: bounded, so that one busy child does not starve the others.
  Progress Read(bool hangup);
  // Everything that is in the pipe at this moment, credit or not: what the direct child wrote before its exit.
  Progress Drain();

  // A child that writes little at a time and all the time would wake us for each write. Once that is seen the pipe is
  // left alone for a moment; until when, or kNever. `now` ends a rest that is over.
  uint64_t rests_until() const { return rests_until_; }
  void EndRest(uint64_t now);

  void AddCredit(uint64_t bytes);
  // From now on bytes are read and thrown away.
  void Discard() { mode_ = Mode::kDiscard; }
  void Close();

  uint64_t captured() const { return captured_; }
  const std::shared_ptr<TeeFile>& tee() const { return tee_; }
  // What was kept, and how much there was; nothing for a stream that was not ours to read. Call once.
  std::optional<Capture> TakeCapture();

  // For the watch in the reactor, kept by run.cc.
  bool watched = false;

 private:
  enum class Mode { kCollect, kStream, kDiscard };
  // Bytes read; 0 at the end of the pipe; -1 when it would block.
  ssize_t ReadOnce(size_t limit, size_t& asked);
  // Drops what would not be kept without reading it; how many bytes.
  size_t SkipOnce(size_t limit);
  void GrowPipe();
  void RestIfTrickling(size_t bytes);

  int stream_;
  Reader& reader_;
  UniqueFd fd_;
  Mode mode_ = Mode::kDiscard;
  std::optional<Collector> collector_;
  uint64_t credit_ = 0;
  uint64_t total_ = 0;     // read from the pipe
  uint64_t captured_ = 0;  // of these, before the run was over
  bool opened_ = false;
  bool grown_ = false;
  uint64_t last_read_ = 0;
  uint64_t rests_until_ = kNever;
  std::shared_ptr<TeeFile> tee_;
  TeeWriter* tee_writer_ = nullptr;
};

}  // namespace argv_spawn
