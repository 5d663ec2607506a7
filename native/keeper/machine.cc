#include "keeper/machine.h"

#if defined(__x86_64__)

asm(R"(
.globl _start
_start:
  xorl %ebp, %ebp
  movq %rsp, %rdi
  andq $-16, %rsp
  call KeeperMain
)");

#elif defined(__aarch64__)

asm(R"(
.globl _start
_start:
  mov x29, xzr
  mov x30, xzr
  mov x0, sp
  b KeeperMain
)");

#else
#error "the keeper has no start code for this processor: binding.gyp must leave it out"
#endif
