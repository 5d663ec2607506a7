// What host and keeper say to each other. The only file of this folder that the addon includes.
//
//   host   --commands--> keeper   Start, then the program's strings; later Commands. End of file: the host is gone.
//   keeper --reports---> host     kStarted or kFailed first, then kExited and kEnded. End of file: nobody of the tree
//   is left.
//
// Both are pipes with records of a fixed size, far below PIPE_BUF, so that each arrives whole (pipe(7)).
#pragma once

#include <stdint.h>

namespace keeper {

// Changes with any change below. The host and the executable beside its addon may come from different builds: the
// number is the first thing that is sent, and an executable that expects another one starts nothing.
constexpr uint32_t kProtocol = 2;

// The keeper is started with these, and with the program's standard streams as 0, 1 and 2.
constexpr int kCommandFd = 3;
constexpr int kReportFd = 4;

// Followed by `size` bytes: absolute path of the program, `argc` arguments, `envc` entries, each with its NUL.
struct Start {
  uint32_t protocol;
  uint32_t argc;
  uint32_t envc;
  uint32_t size;
};

struct Command {
  enum Kind : uint32_t {
    kSignalChild = 1,  // `signal` to the direct child
    kSignalTree = 2,   // `signal` to every process of the tree
    kEnd = 3,          // SIGKILL to every process of the tree, again and again until none is left
    kRelease = 4,      // what remains is let go: it stays alive, the host's death does not end it
  };
  uint32_t kind;
  int32_t signal;
};

struct Report {
  enum Kind : uint32_t {
    kStarted = 1,  // exec succeeded: `pid`
    kFailed = 2,   // nothing was started: `stage`, `error`
    kExited = 3,   // the direct child has ended: `code`, `status` as waitid(2) tells them, and the figures below
    kEnded = 4,    // somebody else of the tree was alive and is being killed: `pid`, `name`, `held`
  };
  enum Stage : uint32_t {
    kContain = 1,  // the keeper cannot do its work here; `error` 0: another protocol
    kFork = 2,
    kSession = 3,
    kExec = 4,
  };
  uint32_t kind;
  uint32_t stage;
  int32_t error;
  int32_t pid;
  int32_t code;
  int32_t status;
  uint32_t alone;  // kExited: nobody else is left, the child has been reaped, the keeper ends now
  uint32_t held;   // kEnded: bit 0, bit 1: has the pipe open that is the stdout, the stderr of the direct child
  int64_t user_us;
  int64_t system_us;
  int64_t max_rss_kb;
  char name[16];  // with its NUL: what proc(5) calls comm
};

}  // namespace keeper
