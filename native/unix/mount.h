// What the file system under a file does not allow.
#pragma once

#include <string>

namespace argv_spawn {

// Mounted without permission to execute. False also when it cannot be told.
bool IsOnNoExecMount(const std::string& path);

}  // namespace argv_spawn
