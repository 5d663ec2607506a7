// What exec's error number meant: one number stands for a missing program, a missing interpreter and a missing loader,
// so the file is looked at afterwards.
#pragma once

#include <string>

#include "core/failure.h"

namespace argv_spawn {

// `error` is what exec answered for the absolute path `program`.
Failure DiagnoseExec(const std::string& program, int error);

// `error` is what making a process answered, before there was anything to exec.
Failure DiagnoseFork(int error);

// `error` is what opening the folder answered; finds the first component that is missing.
Failure DiagnoseCwd(const std::string& cwd, const char* call, int error);

}  // namespace argv_spawn
