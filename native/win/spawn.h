// From a request to a running child: program lookup, folder, pipes, job, CreateProcessW. Runs on a pool thread.
#pragma once

#include <string>

#include "core/failure.h"
#include "core/request.h"
#include "win/handle.h"
#include "win/job.h"

namespace argv_spawn {

// A child that exists, and our ends of its pipes (each may be empty).
struct Launched {
  UniqueHandle process;
  DWORD pid = 0;
  Job job;  // empty without containment
  std::string program;
  UniqueHandle input;
  UniqueHandle output;
  UniqueHandle error;
  UniqueHandle output_tee;
  UniqueHandle error_tee;
};

// Whether the child is on this process's console, and not on one of its own.
bool SharesConsole(const Request& request);

// On failure nothing has been started and nothing stays open.
Result<Launched> Launch(Request& request);

}  // namespace argv_spawn
