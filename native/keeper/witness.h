// Tells the host who of the tree was still alive when it was ended, and whether it held a pipe of the run.
#pragma once

#include "keeper/processes.h"

namespace keeper {

class Witness {
 public:
  // `pipes`: inodes of the direct child's stdout and stderr.
  explicit Witness(const uint64_t (&pipes)[2]) : pipes_{pipes[0], pipes[1]} {}

  // Once for each number, however often it is told. Never waits: where the host does not read, nothing is said.
  void Tell(int pid, const Stat& stat);

 private:
  uint64_t pipes_[2];
};

}  // namespace keeper
