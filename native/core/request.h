// One run as a declaration: everything the engine needs to carry it out alone, and nothing it has to decide.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/bytes.h"

namespace argv_spawn {

constexpr uint64_t kNever = UINT64_MAX;  // for durations and points in time, in nanoseconds

struct StdinSpec {
  enum class Kind { kIgnore, kInherit, kFile, kData, kStream, kDescriptor, kHandOver };
  Kind kind = Kind::kIgnore;
  std::string path;     // kFile
  Bytes data;           // kData
  int descriptor = -1;  // kDescriptor; open until the start has been answered
};

struct OutputSpec {
  enum class Kind { kIgnore, kInherit, kFile, kCollect, kStream, kSameAsStdout, kDescriptor, kHandOver };
  Kind kind = Kind::kIgnore;
  std::string path;     // kFile
  bool append = false;  // kFile
  uint64_t head = 0;    // kCollect; UINT64_MAX = no cap
  uint64_t tail = 0;
  uint64_t kill_above = UINT64_MAX;  // more bytes than this end the run
  std::optional<std::string> tee;    // kCollect, kStream
  int descriptor = -1;               // kDescriptor
};

enum class Lingering { kKill, kLeave, kWait };
enum class TreeStrength { kNone, kGroup, kTree };
// What ends a tree when the host dies.
enum class ParentDeath { kNone, kExitHook, kKeeper, kJob };

struct Request {
  uint64_t id = 0;
  bool progress = true;             // kSpawned and kExit are wanted at once, not together with the end
  std::string program;              // has a slash, or is a bare name to look up
  std::optional<std::string> base;  // where a relative program path starts
  std::string argv;                 // NUL-terminated strings, argv[0] included
  std::string env;                  // NUL-terminated NAME=value, complete
  std::optional<std::string> cwd;
  StdinSpec input;
  OutputSpec output;
  OutputSpec error;
  uint64_t timeout = kNever;
  uint64_t idle_timeout = kNever;
  int kill_signal = 15;
  uint64_t force_kill_after = 0;
  Lingering lingering = Lingering::kKill;
  uint64_t drain_timeout = 0;
  TreeStrength containment = TreeStrength::kTree;
  TreeStrength required = TreeStrength::kNone;  // less than this starts nothing
  bool host_session = false;                    // Unix: the child stays in the session and group of the host
  bool outlives_host = false;                   // Unix: its end, or its environment's, signals nothing
  bool resolve_shims = false;                   // Windows: a recognised launcher is replaced by what it starts
};

struct ResolveQuery {
  uint64_t id = 0;
  std::string program;
  std::optional<std::string> base;
  std::optional<std::string> path;
};

}  // namespace argv_spawn
