// Our end of the child's stdin: a queue of bytes, written as far as the pipe takes them. Service thread only.
#pragma once

#include <cstdint>
#include <deque>

#include "core/bytes.h"
#include "unix/fd.h"

namespace argv_spawn {

class InputPipe {
 public:
  enum class State {
    kIdle,      // nothing to write; watch for the reader's end
    kBlocked,   // the pipe is full; watch for room
    kComplete,  // everything is written and End was called: to be closed
    kBroken,    // the reader has gone: to be closed
  };

  // What was pushed before is kept for it.
  void Open(UniqueFd fd) { fd_ = std::move(fd); }
  bool is_open() const { return static_cast<bool>(fd_); }
  int fd() const { return fd_.get(); }

  void Push(Bytes chunk);
  void End() { ending_ = true; }
  // Writes what can be written now.
  State Flush();
  // For good; whatever waits is dropped.
  void Close();

  size_t waiting() const { return waiting_; }
  uint64_t written() const { return written_; }
  // Closed before everything that was pushed had been taken.
  bool closed_early() const { return closed_early_; }

 private:
  UniqueFd fd_;
  std::deque<Bytes> queue_;
  size_t offset_ = 0;  // into the first of the queue
  size_t waiting_ = 0;
  uint64_t written_ = 0;
  bool ending_ = false;
  bool closed_ = false;
  bool closed_early_ = false;
};

}  // namespace argv_spawn
