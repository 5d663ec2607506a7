// Threads of ours and of the system's pool.
#pragma once

#include <functional>

namespace argv_spawn {

// A thread that is never joined. False when the OS refuses it.
bool StartThread(const wchar_t* name, std::function<void()> main);

// Runs `job` on a thread of the process's pool, which grows when jobs block. False when the OS refuses it.
bool RunOnPool(std::function<void()> job);

// Keeps this library in memory for ever: when an environment that loaded it goes away, Node unloads it, and our
// threads would run on in unmapped code.
void PinLibrary();

}  // namespace argv_spawn
