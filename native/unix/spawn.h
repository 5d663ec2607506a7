// From a request to a running child: program lookup, folder, pipes, posix_spawn. Runs on a spawner thread.
#pragma once

#include <sys/types.h>

#include <string>

#include "core/failure.h"
#include "core/request.h"
#include "unix/fd.h"

namespace argv_spawn {

// A child whose exec has succeeded, and our ends of its pipes (each may be empty).
struct Launched {
  pid_t pid = 0;
  bool leads_group = false;  // own session and process group; false only for a child that shares our terminal
  std::string program;
  UniqueFd input;
  UniqueFd output;
  UniqueFd error;
  UniqueFd output_tee;
  UniqueFd error_tee;
};

// On failure nothing has been started and nothing stays open.
Result<Launched> Launch(Request& request);

// Descriptors above 2 are closed in the child by one file action instead of one for each that is open here.
bool HasCloseFrom();

}  // namespace argv_spawn
