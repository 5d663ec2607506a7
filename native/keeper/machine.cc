#include "keeper/machine.h"

#if defined(__x86_64__)

asm(R"(
.globl _start
_start:
  xorl %ebp, %ebp
  movq %rsp, %rdi
  andq $-16, %rsp
  call KeeperMain
.globl CloneVfork
CloneVfork:
  movq %rdi, %r8
  movq %rsi, %r9
  movq %rdx, %rsi
  movl $0x4111, %edi
  xorl %edx, %edx
  xorl %r10d, %r10d
  movl $56, %eax
  syscall
  testq %rax, %rax
  jnz 1f
  xorl %ebp, %ebp
  movq %r9, %rdi
  call *%r8
  hlt
1:
  ret
)");

#elif defined(__aarch64__)

asm(R"(
.globl _start
_start:
  mov x29, xzr
  mov x30, xzr
  mov x0, sp
  b KeeperMain
.globl CloneVfork
CloneVfork:
  mov x9, x0
  mov x10, x1
  mov x1, x2
  mov x0, #0x4111
  mov x2, xzr
  mov x3, xzr
  mov x4, xzr
  mov x8, #220
  svc #0
  cbnz x0, 1f
  mov x29, xzr
  mov x0, x10
  blr x9
  brk #0
1:
  ret
)");

#endif
