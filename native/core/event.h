// What the engine reports, as plain data, and where it reports it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/failure.h"
#include "core/request.h"

namespace argv_spawn {

enum class Cause { kNone, kTimeout, kIdleTimeout, kAbort, kStop, kMaxBuffer };

struct ExitState {
  bool known = false;  // false: another reaper in this process took the status
  bool signalled = false;
  bool core_dumped = false;
  uint32_t value = 0;  // exit code, or signal number
};

struct TeeReport {
  uint64_t bytes = 0;
  std::string error;  // name of the error that stopped it; empty when none did
};

struct Capture {
  Bytes head;
  Bytes tail;
  uint64_t bytes = 0;
  std::optional<TeeReport> tee;
};

struct Leftover {
  int pid = 0;
  std::string name;
  bool held_pipe = false;
  const char* fate = "survived";  // "ended", "left", "survived"
  const char* why = "";           // see NativeLeftover in lib/native/contract.ts
};

struct Usage {
  double user_ms = 0;
  double system_ms = 0;
  int64_t max_rss_bytes = -1;  // -1: the number is the host's, not the child's
};

struct Outcome {
  int pid = 0;
  std::string program;
  Cause cause = Cause::kNone;
  ExitState exit;
  bool forced = false;
  std::optional<Capture> output;
  std::optional<Capture> error;
  uint64_t stdin_bytes = 0;
  bool stdin_closed_early = false;
  std::vector<Leftover> leftovers;
  TreeStrength tree = TreeStrength::kNone;
  ParentDeath parent_death = ParentDeath::kNone;
  double started_at_ms = 0;
  double duration_ms = 0;
  std::optional<Usage> usage;
};

struct Event {
  enum class Kind {
    kFailed,
    kCancelled,
    kSpawned,
    kData,
    kEnd,
    kDrain,
    kStdinClosed,
    kExit,
    kFinished,
    kResolved,
    kUnresolved,
  };

  Kind kind = Kind::kFailed;
  uint64_t id = 0;
  int stream = 0;                    // kData, kEnd
  int pid = 0;                       // kSpawned
  std::string path;                  // kSpawned, kResolved
  Bytes chunk;                       // kData
  ExitState exit;                    // kExit
  std::unique_ptr<Failure> failure;  // kFailed, kUnresolved
  std::unique_ptr<Outcome> outcome;  // kFinished

  // The last event of its id.
  bool terminal() const {
    return kind == Kind::kFailed || kind == Kind::kCancelled || kind == Kind::kFinished || kind == Kind::kResolved ||
           kind == Kind::kUnresolved;
  }
};

// The answer to a ResolveQuery.
Event MakeAnswer(uint64_t id, Result<std::string> found);

// Receives events on any native thread. With `wake` false the event may wait for the next one that wakes, or for Wake.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void Post(Event event, bool wake) = 0;
  virtual void Wake() = 0;
};

}  // namespace argv_spawn
