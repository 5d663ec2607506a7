// The program the keeper was told to start: receiving it, and starting it.
#pragma once

#include <stddef.h>

#include "keeper/protocol.h"

namespace keeper {

class Program {
 public:
  // 0, or an errno: the strings do not fit into memory, or the host went away while sending them.
  int Receive(const Start& start);

  struct Outcome {
    int pid;  // 0: nothing was started
    Report::Stage stage;
    int error;
  };
  // As a child in a session of its own, with every signal at its default and none blocked, and with 0, 1 and 2 as its
  // only descriptors. Everything else (folder, umask, limits, niceness, user) is what the host had.
  Outcome Execute();

  // Gives the strings back: they may be large, and they are nobody's business once the program runs.
  void Forget();

 private:
  long block_ = 0;
  size_t block_size_ = 0;
  char* path_ = nullptr;
  char** argv_ = nullptr;
  char** envp_ = nullptr;
};

}  // namespace keeper
