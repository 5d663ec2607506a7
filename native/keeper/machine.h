// What differs between processors: entering the program and clone with a stack of its own (machine.cc), system calls.
//
// There is no C library here: the executable is the same for glibc and musl, needs no loader, starts in a few page
// faults, and nothing in it can allocate, lock or run at exit. Conventions: syscall(2), "Architecture calling
// conventions"; numbers: the kernel's own header.
#pragma once

#include <asm/unistd.h>

extern "C" {

// What _start jumps to, with the initial stack pointer.
[[noreturn]] void KeeperMain(long* stack);

// clone(CLONE_VM | CLONE_VFORK | SIGCHLD): `body` runs on `stack_top` in a child that shares this memory, and this
// thread waits until the child has exec'ed or ended. `body` must not return. A function, and not a vfork() that returns
// twice, because the child would otherwise overwrite what the parent keeps on its stack.
long CloneVfork(void (*body)(void*), void* argument, void* stack_top);
}

namespace keeper {

#if defined(__x86_64__)

inline long Call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
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

inline long Call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
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

#else
#error "the keeper has no start code for this processor: binding.gyp must leave it out"
#endif

}  // namespace keeper
