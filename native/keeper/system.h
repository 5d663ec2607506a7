// The system calls the keeper makes, each under its own name. They answer what the kernel answers: a negative errno is
// a failure. Numbers and layouts are the kernel's (include/uapi/asm-generic/siginfo.h, signal.h, resource.h), the same
// on both processors.
#pragma once

#include <asm/unistd.h>
#include <linux/errno.h>
#include <stddef.h>
#include <stdint.h>

#include "keeper/machine.h"

namespace keeper {

constexpr int kSigKill = 9;
constexpr int kSigChld = 17;
constexpr int kSigStop = 19;

struct SignalInfo {  // siginfo_t as waitid fills it
  int signo;
  int error;
  int code;
  int pad;
  int pid;
  uint32_t uid;
  int status;
  int rest[25];
};
static_assert(sizeof(SignalInfo) == 128);

struct Usage {  // struct rusage
  int64_t user_s;
  int64_t user_us;
  int64_t system_s;
  int64_t system_us;
  int64_t max_rss_kb;
  int64_t rest[13];
};
static_assert(sizeof(Usage) == 144);

struct PollEntry {  // struct pollfd
  int fd;
  short events;
  short revents;
};
constexpr short kPollIn = 1;

enum WaitFlags : int { kNoHang = 1, kExitedOnes = 4, kNoReap = 0x01000000 };  // WNOHANG, WEXITED, WNOWAIT
enum WaitFor : int { kAnyChild = 0, kOneChild = 1 };                          // P_ALL, P_PID

inline long Address(const void* pointer) { return reinterpret_cast<long>(pointer); }

[[noreturn]] inline void Exit(int code) {
  for (;;) Call(__NR_exit_group, code);
}
inline long Read(int fd, void* into, size_t size) {
  return Call(__NR_read, fd, Address(into), static_cast<long>(size));
}
inline long Write(int fd, const void* from, size_t size) {
  return Call(__NR_write, fd, Address(from), static_cast<long>(size));
}
inline void Close(int fd) { Call(__NR_close, fd); }
inline int OpenToRead(const char* path) {
  constexpr int kHere = -100;         // AT_FDCWD
  constexpr int kCloexec = 02000000;  // O_RDONLY | O_CLOEXEC
  return static_cast<int>(Call(__NR_openat, kHere, Address(path), kCloexec));
}
inline int GetPid() { return static_cast<int>(Call(__NR_getpid)); }
inline int GetParent() { return static_cast<int>(Call(__NR_getppid)); }
// 0 or a negative errno. `pid` below 0: the process group.
inline int SendSignal(int pid, int signal) { return static_cast<int>(Call(__NR_kill, pid, signal)); }
inline int PidfdOpen(int pid) { return static_cast<int>(Call(__NR_pidfd_open, pid)); }
inline int PidfdSignal(int fd, int signal) { return static_cast<int>(Call(__NR_pidfd_send_signal, fd, signal)); }
inline int Wait(WaitFor whom, int pid, SignalInfo* info, int flags, Usage* usage) {
  return static_cast<int>(Call(__NR_waitid, whom, pid, Address(info), flags, Address(usage)));
}
// Blocks every signal; `mask` 0 lets all through. What is blocked stays pending, and SIGKILL cannot be.
inline void SetSignalMask(uint64_t mask) {
  constexpr int kReplace = 2;  // SIG_SETMASK
  Call(__NR_rt_sigprocmask, kReplace, Address(&mask), 0, sizeof mask);
}
inline void SetDefault(int signal) {
  const long action[4] = {};  // struct sigaction as the kernel has it: SIG_DFL, no flags, an empty mask
  Call(__NR_rt_sigaction, signal, Address(action), 0, sizeof(uint64_t));
}
// Private memory of `size` bytes; a negative errno as an address.
inline long Map(size_t size) {
  constexpr long kReadWrite = 3;   // PROT_READ | PROT_WRITE
  constexpr long kPrivate = 0x22;  // MAP_PRIVATE | MAP_ANONYMOUS
  return Call(__NR_mmap, 0, static_cast<long>(size), kReadWrite, kPrivate, -1);
}
inline void Unmap(long address, size_t size) { Call(__NR_munmap, address, static_cast<long>(size)); }
inline bool IsError(long result) { return result < 0 && result > -4096; }

}  // namespace keeper
