#include <sys/statvfs.h>

#include "unix/mount.h"

namespace argv_spawn {

bool IsOnNoExecMount(const std::string& path) {
  struct statvfs mount {};
  return statvfs(path.c_str(), &mount) == 0 && (mount.f_flag & ST_NOEXEC) != 0;
}

}  // namespace argv_spawn
