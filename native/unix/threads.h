// Starting our own threads: never joined, every signal blocked, small stacks, a name that `ps -L` shows.
#pragma once

#include <functional>

namespace argv_spawn {

// 0, or why the OS refuses a thread. `name` has at most 15 characters (pthread_setname_np).
int StartThread(const char* name, std::function<void()> main);

// Keeps this library in memory for ever: when an environment that loaded it goes away, Node unloads it, and our
// threads would run on in unmapped code.
void PinLibrary();

}  // namespace argv_spawn
