#include "keeper/tree.h"

#include "keeper/system.h"

namespace keeper {

namespace {

// A process below this many others is left alone until those are gone: then it has been handed to us.
constexpr int kDeepest = 32;
// At the parents of one process, until they are the same twice.
constexpr int kLooks = 3;
// Passes over the tree until one finds nobody new.
constexpr int kStopPasses = 8;

PidList list;
PidList stopped;

bool IsDead(const Stat& stat) { return stat.state == 'Z' || stat.state == 'X'; }

}  // namespace

Tree::Tree(int leader) : leader_(leader), self_(GetPid()), own_children_(OpenOwnChildren()) {}

// The parents of `pid` up to us, and how many; 0 when they do not lead to us.
int Tree::ReadChain(int pid, int* chain) const {
  for (int n = 0; n < kDeepest; n++) {
    Stat stat;
    if (!ReadStat(pid, stat) || stat.parent <= 0) return 0;
    chain[n] = stat.parent;
    if (stat.parent == self_) return n + 1;
    pid = stat.parent;
  }
  return 0;
}

// Read twice: a process keeps the number of its parent only while the parent lives, so what stands between two equal
// answers was read about the parent itself and not about somebody who got its number.
bool Tree::LeadsToUs(int pid) const {
  int first[kDeepest];
  int second[kDeepest];
  const int size = ReadChain(pid, first);
  if (size == 0 || ReadChain(pid, second) != size) return false;
  for (int i = 0; i < size; i++) {
    if (first[i] != second[i]) return false;
  }
  return true;
}

void Tree::SignalOne(int pid, int parent, int signal) const {
  if (parent == self_) {
    SendSignal(pid, signal);
    return;
  }
  const int fd = PidfdOpen(pid);
  if (fd < 0) return;  // gone, or no pidfds here: its turn comes when its parent has ended and it is our child
  // A parent that ends between two looks makes them differ, though it leads to us by the other way.
  bool ours = false;
  for (int look = 0; look < kLooks && !ours; look++) ours = LeadsToUs(pid);
  if (ours) PidfdSignal(fd, signal);
  Close(fd);
}

// Listed before anybody is told: whoever ends of it hands his children to us, and a list that is being read meanwhile
// has them in neither place.
void Tree::Signal(int signal) {
  ListDescendants(list);
  if (!leader_reaped_) SendSignal(-leader_, signal);
  for (int i = 0; i < list.size(); i++) {
    Stat stat;
    if (!ReadStat(list[i], stat) || IsDead(stat)) continue;
    if (stat.group == leader_ && !leader_reaped_) continue;  // has it already
    SignalOne(list[i], stat.parent, signal);
  }
}

// Once SIGSTOP is pending for a process it starts nobody any more: a fork gives way to a signal (kernel/fork.c,
// copy_process). So the passes only have to catch up with those that were started before.
void Tree::StopAll(Witness& witness) {
  if (!leader_reaped_) SendSignal(-leader_, kSigStop);
  stopped.Clear();
  for (int pass = 0; pass < kStopPasses; pass++) {
    bool any = false;
    ListDescendants(list);
    for (int i = 0; i < list.size(); i++) {
      Stat stat;
      if (stopped.Has(list[i], i) || !ReadStat(list[i], stat) || IsDead(stat)) continue;
      SignalOne(list[i], stat.parent, kSigStop);
      stopped.Add(list[i]);
      if (list[i] != leader_ && !stat.exiting) witness.Tell(list[i], stat);
      any = true;
    }
    if (!any) return;
  }
}

void Tree::Kill(Witness& witness) {
  StopAll(witness);  // its last pass has listed everybody
  if (!leader_reaped_) SendSignal(-leader_, kSigKill);
  for (int i = 0; i < list.size(); i++) {
    Stat stat;
    if (ReadStat(list[i], stat) && !IsDead(stat)) SignalOne(list[i], stat.parent, kSigKill);
  }
}

// Who ends hands his children to us before he can be reaped (kernel/exit.c, exit_notify): if that was after the list
// was read, they are not in it. So only a list of which nobody is reaped can show that nobody is left.
bool Tree::ReapOthers() {
  for (;;) {
    if (!leader_reaped_ && IsOnlyChild(own_children_, leader_)) return true;
    if (!ListChildren(own_children_, list)) return false;
    bool reaped = false;
    bool others = false;
    for (int i = 0; i < list.size(); i++) {
      if (list[i] == leader_ && !leader_reaped_) continue;
      SignalInfo info{};
      if (Wait(kOneChild, list[i], &info, kExitedOnes | kNoHang, nullptr) != 0) continue;  // not ours
      reaped = reaped || info.pid != 0;
      others = others || info.pid == 0;  // it has not ended
    }
    if (others || !reaped) return !others;
  }
}

void Tree::ReapLeader() {
  Wait(kOneChild, leader_, nullptr, kExitedOnes | kNoHang, nullptr);
  leader_reaped_ = true;
}

}  // namespace keeper
