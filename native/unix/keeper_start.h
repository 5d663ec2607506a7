// Starting a program under a keeper. Runs on a spawner thread and waits until the program's exec is decided.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/failure.h"
#include "unix/spawn_call.h"
#include "unix/tree.h"

namespace argv_spawn {

struct KeeperAnswer {
  std::unique_ptr<Tree> tree;  // the program runs
  // Otherwise nothing was started:
  bool unusable = false;           // no keeper can do this here: another way may work
  int error = 0;                   // what exec of the program, or a new process, answered
  std::optional<Failure> failure;  // something else, complete
};

// `call` is the program's own: path, streams, folder. `argv` and `env` end with a null pointer.
KeeperAnswer StartUnderKeeper(const std::string& keeper, const SpawnCall& call, const std::vector<char*>& argv,
                              const std::vector<char*>& env);

}  // namespace argv_spawn
