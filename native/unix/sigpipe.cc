#include "unix/sigpipe.h"

#include <pthread.h>
#include <time.h>

namespace argv_spawn {

namespace {

sigset_t OnlySigpipe() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  return set;
}

bool IsSigpipePending() {
  sigset_t pending;
  return sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
}

// Without waiting: one that was sent to the process may be another thread's by now.
void TakePending() {
  const sigset_t set = OnlySigpipe();
#ifdef __APPLE__
  // There is no sigtimedwait. What a write has raised is this thread's alone (signal(7)).
  int signal = 0;
  if (IsSigpipePending()) sigwait(&set, &signal);
#else
  const timespec none{0, 0};
  sigtimedwait(&set, nullptr, &none);
#endif
}

}  // namespace

SigpipeBlock::SigpipeBlock() {
  const sigset_t set = OnlySigpipe();
  pthread_sigmask(SIG_BLOCK, &set, &before_);
  was_pending_ = IsSigpipePending();
}

SigpipeBlock::~SigpipeBlock() {
  if (!was_pending_) TakePending();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace argv_spawn
