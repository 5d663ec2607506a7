#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>

#include "unix/keeper_file.h"
#include "unix/mount.h"
#include "unix/os_error.h"
#include "unix/process_table.h"

namespace argv_spawn {

namespace {

constexpr const char* kName = "argv-spawn-keeper";

std::string FindBesideAddon() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&FindBesideAddon), &info) == 0 || info.dli_fname == nullptr) return "";
  char resolved[PATH_MAX];
  if (realpath(info.dli_fname, resolved) == nullptr) return "";
  const std::string addon = resolved;
  return addon.substr(0, addon.rfind('/') + 1) + kName;
}

std::string FindProblem(const std::string& path) {
  if (path.empty()) return "the addon's own path is not known";
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return ErrnoName(errno);
  if (IsOnNoExecMount(path)) return "noexec mount";
  if (!S_ISREG(info.st_mode) || access(path.c_str(), X_OK) != 0) return "not an executable file";
  // Nobody would find the processes of a tree.
  if (!CanSeeProcesses()) return "/proc does not show this process";
  return "";
}

}  // namespace

const KeeperFile& GetKeeperFile() {
  static const auto* file = [] {
    auto* made = new KeeperFile();
    made->path = FindBesideAddon();
    made->problem = FindProblem(made->path);
    return made;
  }();
  return *file;
}

}  // namespace argv_spawn
