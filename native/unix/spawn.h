// From a request to a running child: program lookup, folder, pipes, posix_spawn. Runs on a spawner thread.
#pragma once

#include <memory>
#include <string>

#include "core/failure.h"
#include "core/request.h"
#include "unix/fd.h"
#include "unix/tree.h"

namespace argv_spawn {

// A program whose exec has succeeded, and our ends of its pipes (each may be empty).
struct Launched {
  std::unique_ptr<Tree> tree;
  std::string program;
  UniqueFd input;
  UniqueFd output;
  UniqueFd error;
  UniqueFd output_tee;
  UniqueFd error_tee;
};

// On failure nothing has been started and nothing stays open.
Result<Launched> Launch(Request& request);

}  // namespace argv_spawn
