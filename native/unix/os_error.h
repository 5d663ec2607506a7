// Names of OS error numbers, and the one way a failing call becomes a Failure.
#pragma once

#include <string>

#include "core/failure.h"

namespace argv_spawn {

// "ENOENT"; "E<number>" for one without a name here.
std::string ErrnoName(int error);

// `error` is errno, captured by the caller in the statement after the call.
Failure OsFailure(Stage stage, const char* call, const char* subject, std::string path, int error);

}  // namespace argv_spawn
