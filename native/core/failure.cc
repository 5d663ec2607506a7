#include "core/failure.h"

namespace argv_spawn {

const char* StageName(Stage stage) {
  switch (stage) {
    case Stage::kResolve:
      return "resolve";
    case Stage::kCwd:
      return "cwd";
    case Stage::kLimits:
      return "limits";
    case Stage::kFork:
      return "fork";
    case Stage::kSetup:
      return "setup";
    case Stage::kExec:
      return "exec";
    case Stage::kInterpreter:
      return "interpreter";
    case Stage::kLoader:
      return "loader";
    case Stage::kBatch:
      return "batch";
    case Stage::kContainment:
      return "containment";
  }
  return "setup";
}

}  // namespace argv_spawn
