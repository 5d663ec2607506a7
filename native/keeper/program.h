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

  // Gives the strings back: they may be large.
  void Forget();

 private:
  // Strings that fit in here need no mapping, whose making and ending cost more than all else the keeper does between
  // its exec and the program's (three page tables, and an interrupt to every processor it has run on).
  static constexpr size_t kRoom = 8 * 1024;

  int Allocate(size_t size);  // 0 or an errno

  char* block_ = nullptr;
  size_t mapped_ = 0;
  char* path_ = nullptr;
  char** argv_ = nullptr;
  char** envp_ = nullptr;
  alignas(char*) char room_[kRoom];  // not initialised: pages that are not used are not touched
};

}  // namespace keeper
