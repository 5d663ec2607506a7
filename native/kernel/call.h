// The Linux kernel without a C library: system calls that leave errno alone, and a new process on a stack of its own.
// Conventions: syscall(2), "Architecture calling conventions"; numbers: the kernel's own header. For the keeper, which
// has no C library, and for code that runs in a process which shares the host's memory.
#pragma once

#include <asm/unistd.h>

// Of functions that run in a process which shares the memory of another, whose build may check memory and threads.
#define UNCHECKED __attribute__((no_sanitize("address", "thread", "undefined")))

// clone(2): `body` runs on `stack_top` in a new process, and must not return; answers its number, or a negative errno.
// A function, and not a call that returns twice, because the new process would otherwise overwrite what its parent
// keeps on its stack. `flags`: CLONE_... and the signal of the end.
extern "C" long CloneOnto(long flags, void (*body)(void*), void* argument, void* stack_top);

namespace kernel {

// The kernel's names may be missing where the C library's headers are used: CLONE_VM, CLONE_VFORK, SIGCHLD.
constexpr long kShareMemory = 0x100;
constexpr long kWaitForExec = 0x4000;
constexpr long kTellTheEnd = 17;

// Answers what the kernel answers: a negative errno is a failure.
#if defined(__x86_64__)

UNCHECKED inline long Call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

#elif defined(__aarch64__)

UNCHECKED inline long Call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = e;
  register long x5 asm("x5") = f;
  asm volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory", "cc");
  return x0;
}

#else  // no keeper is built for other processors, and nobody comes here

inline long Call(long, long = 0, long = 0, long = 0, long = 0, long = 0, long = 0) { return -38; }  // ENOSYS

#endif

}  // namespace kernel
