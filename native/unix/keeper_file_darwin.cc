#include "unix/keeper_file.h"

namespace argv_spawn {

const KeeperFile& GetKeeperFile() {
  static const auto* file = new KeeperFile{"", "macOS does not hand orphans to anyone but launchd"};
  return *file;
}

}  // namespace argv_spawn
