// Signals for a tree of processes, and never for anybody else.
//
// A number is certain in three cases, and only then is it used:
//  - it is a child of this process: nobody but us can reap it, so the number cannot have been given away;
//  - it is the process group of the direct child, as long as that is unreaped;
//  - a pidfd was opened for it first, and it was seen afterwards that the process leads up to us. If the number had
//    changed hands in between, the pidfd stands for somebody who is gone, and the signal reaches nobody.
#pragma once

#include "keeper/processes.h"
#include "keeper/witness.h"

namespace keeper {

class Tree {
 public:
  // `leader` is the direct child: a child of this process that leads its own group.
  explicit Tree(int leader);

  int leader() const { return leader_; }
  bool leader_reaped() const { return leader_reaped_; }

  // Every process of the tree. Those that are too deep, or not ours to signal, are passed over.
  void Signal(int signal);
  // One pass: everybody is stopped, so that nobody can start anything while the rest is looked for, and then everybody
  // is killed. `witness` hears of those who are found alive, before they are killed.
  void Kill(Witness& witness);

  // Reaps every child that has ended, except the leader. True when nobody but the leader, dead or alive, is left.
  bool ReapOthers();
  void ReapLeader();

 private:
  void SignalOne(int pid, int parent, int signal) const;
  bool LeadsToUs(int pid) const;
  int ReadChain(int pid, int* chain) const;
  void StopAll(Witness& witness);

  int leader_;
  int self_;
  int own_children_;
  bool leader_reaped_ = false;
};

}  // namespace keeper
