// Size limits of exec, checked before anything is started so that the entry at fault can be named.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/failure.h"

namespace argv_spawn {

// Linux: one string may have MAX_ARG_STRLEN bytes, its NUL included (fs/exec.c, 32 pages); all of them, with a pointer
// each, a quarter of the stack limit, at most 6 MiB and at least 128 KiB (fs/exec.c, bprm_stack_limits).
// macOS: ARG_MAX for everything; no limit for one string.
std::optional<Failure> CheckExecLimits(const std::vector<char*>& argv, const std::vector<char*>& env,
                                       const std::string& program);

// The same for a total that the kernel refused although the check above let it pass.
Failure ExecTooLong(const std::vector<char*>& argv, const std::vector<char*>& env, const std::string& program);

// "nofile 1024 of 4096, nproc 100 of 100": the limits in force, for errors about resources.
std::string DescribeResourceLimits();

}  // namespace argv_spawn
