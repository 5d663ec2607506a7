// Entering the program. There is no C library here: the executable is the same for glibc and musl, needs no loader,
// starts in a few page faults, and nothing in it can allocate, lock or run at exit.
#pragma once

// What _start jumps to, with the initial stack pointer.
extern "C" [[noreturn]] void KeeperMain(long* stack);
