#include "unix/sigpipe.h"

#include <pthread.h>
#include <time.h>

namespace argv_spawn {

SigpipeBlock::SigpipeBlock() {
  sigemptyset(&sigpipe_);
  sigaddset(&sigpipe_, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &sigpipe_, &before_);
  was_pending_ = IsPending();
}

SigpipeBlock::~SigpipeBlock() {
  if (!was_pending_) TakePending();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool SigpipeBlock::IsPending() {
  sigset_t pending;
  return sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
}

// Without waiting: one that was sent to the process may be another thread's by now.
void SigpipeBlock::TakePending() {
#ifdef __APPLE__
  // There is no sigtimedwait. What a write has raised is this thread's alone (signal(7)).
  int signal = 0;
  if (IsPending()) sigwait(&sigpipe_, &signal);
#else
  const timespec none{0, 0};
  sigtimedwait(&sigpipe_, nullptr, &none);
#endif
}

}  // namespace argv_spawn
