// Looking at processes through /proc (proc(5)). What is read here is true at the moment of reading and no longer:
// tree.cc says how a signal is made certain.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace keeper {

// For static objects, which begin as zeros: nothing runs before KeeperMain that could construct one.
class PidList {
 public:
  static constexpr int kMost = 16384;  // more than that are found in a later pass

  void Clear() { size_ = 0; }
  void Add(int pid) {
    if (size_ < kMost) pids_[size_++] = pid;
  }
  // `near`: where it may well stand.
  bool Has(int pid, int near = 0) const {
    if (near < size_ && pids_[near] == pid) return true;
    for (int i = 0; i < size_; i++) {
      if (pids_[i] == pid) return true;
    }
    return false;
  }
  int size() const { return size_; }
  int operator[](int i) const { return pids_[i]; }

 private:
  int size_;
  int pids_[kMost];
};

struct Stat {
  char state;
  int parent;
  int group;
  bool exiting;  // past its last system call, and no zombie yet
  char name[16];
};

// Whether /proc shows this process under its own number. It does not where a namespace of processes was entered without
// mounting /proc anew: every number read there would be somebody else's.
bool CanSeeProcesses();

// False when there is no such process.
bool ReadStat(int pid, Stat& stat);

// The inode behind a descriptor of this process; 0 when there is none.
uint64_t InodeOf(int fd);

// Bit 0 and bit 1: some descriptor of the process is a pipe with the first, the second inode.
uint32_t HeldPipes(int pid, const uint64_t (&inodes)[2]);

// The kernel's list of the children of this process, to be kept open: finding it costs more than reading it, and the
// end of the program waits for the answer. Below 0: there is none. Not before the program has been started, which would
// have the descriptor.
int OpenOwnChildren();

// Whether `pid`, dead or alive, is all that stands in the list. False where there is no list.
bool IsOnlyChild(int own_children, int pid);

// Children of this process, the dead ones included. False: /proc did not tell.
bool ListChildren(int own_children, PidList& children);

// Children, their children, and so on; a moving tree may be seen in part.
void ListDescendants(PidList& found);

}  // namespace keeper
