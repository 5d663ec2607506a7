#include <sys/mount.h>
#include <sys/param.h>

#include "unix/mount.h"

namespace argv_spawn {

bool IsOnNoExecMount(const std::string& path) {
  struct statfs mount {};
  return statfs(path.c_str(), &mount) == 0 && (mount.f_flags & MNT_NOEXEC) != 0;
}

}  // namespace argv_spawn
