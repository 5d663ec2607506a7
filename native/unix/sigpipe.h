// SIGPIPE on threads of the host.
#pragma once

#include <signal.h>

namespace argv_spawn {

// While it lives, a write of this thread to a pipe without a reader fails with EPIPE, and that is all: the host may
// have a handler for SIGPIPE, or none, which would end it.
class SigpipeBlock {
 public:
  SigpipeBlock();
  ~SigpipeBlock();
  SigpipeBlock(const SigpipeBlock&) = delete;
  SigpipeBlock& operator=(const SigpipeBlock&) = delete;

 private:
  static bool IsPending();
  void TakePending();

  sigset_t sigpipe_;
  sigset_t before_;
  bool was_pending_;  // and is nobody's business here
};

}  // namespace argv_spawn
