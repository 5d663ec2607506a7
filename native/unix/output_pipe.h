// Our end of the child's stdout or stderr: reads what the stream wants to have. Service thread only.
#pragma once

#include <cstdint>

#include "core/output_stream.h"
#include "unix/fd.h"
#include "unix/lazy_buffer.h"

namespace argv_spawn {

class OutputPipe {
 public:
  struct Progress {
    size_t bytes = 0;     // that arrived
    bool at_end = false;  // the end of the pipe was reached: to be closed
  };

  explicit OutputPipe(OutputStream& stream) : stream_(stream) {}

  void Open(UniqueFd fd, const OutputSpec& spec, std::shared_ptr<TeeFile> tee);
  int fd() const { return fd_.get(); }

  // Whether reading is wanted now: the stream wants bytes, and the pipe does not rest.
  bool wants_to_read() const { return rests_until_ == kNever && stream_.wants_bytes(); }
  // One turn: bounded, so that one busy child does not starve the others.
  Progress Read(LazyBuffer& scratch, bool hangup);
  // Everything that is in the pipe at this moment, credit or not: what the direct child wrote before its exit.
  Progress Drain(LazyBuffer& scratch);

  // A child that writes little at a time and all the time would wake us for each write. Once that is seen the pipe is
  // left alone for a moment; until when, or kNever. `now` ends a rest that is over.
  uint64_t rests_until() const { return rests_until_; }
  void EndRest(uint64_t now);

  void Close();

  // For the watch in the reactor, kept by run_pipes.cc.
  bool watched = false;

 private:
  // Bytes read; 0 at the end of the pipe; -1 when it would block.
  ssize_t ReadOnce(LazyBuffer& scratch, size_t limit, size_t& asked);
  // Drops what would not be kept without reading it; how many bytes.
  size_t SkipOnce(size_t limit);
  void GrowPipe();
  void RestIfTrickling(size_t bytes);

  OutputStream& stream_;
  UniqueFd fd_;
  uint64_t total_ = 0;  // read from the pipe
  bool grown_ = false;
  uint64_t last_read_ = 0;
  uint64_t rests_until_ = kNever;
};

}  // namespace argv_spawn
