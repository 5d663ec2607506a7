// What every operating system provides. Implemented by files of the same names in unix/ and win/; binding.gyp picks
// the folder, so there is nothing virtual about the choice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/event.h"
#include "core/request.h"

namespace argv_spawn {

struct Features {
  std::string os;
  std::string engine;
  std::string libc;
  bool pidfd = false;
  bool close_from = false;
  TreeStrength tree = TreeStrength::kNone;
  ParentDeath parent_death = ParentDeath::kNone;
  std::string keeper;          // path of its executable; empty where there is none
  std::string keeper_problem;  // why it is not used; empty when it is
  // Upper case of one UTF-16 unit, where names in an environment are one name whatever their case; else nullptr.
  char16_t (*upcase)(char16_t) = nullptr;
};

// One run, seen from the thread that asked for it. Every call is cheap, thread-safe and valid in every state.
class RunControl {
 public:
  virtual ~RunControl() = default;
  // Queues a copy of `size` bytes. The bytes waiting now, 0 once nobody is left to take them; nothing when there is no
  // memory for them, and then none is queued.
  virtual std::optional<size_t> Write(const uint8_t* data, size_t size) = 0;
  virtual void EndInput() = 0;
  virtual void Credit(int stream, uint64_t bytes) = 0;
  virtual void Stop(Cause cause) = 0;
  // 0 or a negative errno; -ESRCH before it exists and once it has ended.
  virtual int Signal(int signal, bool tree) = 0;
  // Nobody is interested any more: end the tree at once, report nothing.
  virtual void Abandon() = 0;
};

// Returns at once. Exactly one terminal event for request.id reaches `sink`.
std::shared_ptr<RunControl> StartRun(Request request, std::shared_ptr<Sink> sink);

// The same on the calling thread, which waits for it: returns the terminal event.
Event RunToEnd(Request request);

// A program that has been started on the calling thread.
struct Started {
  std::shared_ptr<RunControl> run;
  int pid = 0;
  std::string program;
  int descriptors[3] = {-1, -1, -1};  // the host's ends of kHandOver; the caller owns them
};
// Returns once exec has succeeded or failed. On failure nothing reaches `sink`.
Result<Started> StartRunHere(Request request, std::shared_ptr<Sink> sink);
// Returns at once; one kResolved or kUnresolved event follows.
void StartResolve(ResolveQuery query, std::shared_ptr<Sink> sink);

// A copy of this process's C environment as NUL-terminated entries. Call on a thread that does not race with setenv.
std::string HostEnvironment();

const Features& GetFeatures();

}  // namespace argv_spawn
