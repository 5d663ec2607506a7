// Starting our own threads: never joined, every signal blocked, small stacks, a name that `ps -L` shows.
#pragma once

#include <functional>

namespace argv_spawn {

// 0, or why the OS refuses a thread. `name` has at most 15 characters (pthread_setname_np).
int StartThread(const char* name, std::function<void()> main);

// While it lives, the calling thread does not take the processor from the one that wakes it: with one idle processor
// less, waking a thread would else mean to wait for all it does, an exec included. Where it ends the thread is what it
// was, since children inherit the policy. Linux, for threads of the ordinary policy (sched(7), SCHED_BATCH); without
// effect elsewhere.
class DeferentialWait {
 public:
  DeferentialWait();
  ~DeferentialWait();
  DeferentialWait(const DeferentialWait&) = delete;
  DeferentialWait& operator=(const DeferentialWait&) = delete;

 private:
  [[maybe_unused]] bool changed_ = false;  // nothing to undo on macOS
};

// Keeps this library in memory for ever: when an environment that loaded it goes away, Node unloads it, and our
// threads would run on in unmapped code.
void PinLibrary();

}  // namespace argv_spawn
