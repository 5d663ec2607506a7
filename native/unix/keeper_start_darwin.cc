#include "unix/keeper_start.h"

namespace argv_spawn {

KeeperAnswer StartUnderKeeper(const std::string&, const SpawnCall&, const std::vector<char*>&,
                              const std::vector<char*>&) {
  KeeperAnswer answer;
  answer.unusable = true;
  return answer;
}

}  // namespace argv_spawn
