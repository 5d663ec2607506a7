// The keeper's executable: where it is, and whether it can be used here.
#pragma once

#include <string>

namespace argv_spawn {

struct KeeperFile {
  std::string path;     // absolute; empty when there is none
  std::string problem;  // why it cannot be used; empty when it can
};

// Looked for once, beside the addon: that is where both are built and shipped, the addon knows its own path whatever
// loaded it, and a path that JavaScript sees may lie inside an archive (Electron's asar) from which nothing can be
// executed.
const KeeperFile& GetKeeperFile();

}  // namespace argv_spawn
