// Names of Windows error numbers, and the one way a failing call becomes a Failure.
#pragma once

#include <windows.h>

#include <string>

#include "core/failure.h"

namespace argv_spawn {

// The errno name that libuv gives the same error ("ENOENT"); "WIN<number>" for one without a name here.
std::string ErrorName(DWORD error);

// `error` is GetLastError(), captured by the caller in the statement after the call.
Failure OsFailure(Stage stage, const char* call, const char* subject, std::string path, DWORD error);

// A refusal of ours, with the name that callers check.
Failure Refusal(Stage stage, const char* code, const char* subject, std::string path, std::string detail);

}  // namespace argv_spawn
