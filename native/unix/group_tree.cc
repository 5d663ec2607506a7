#include "unix/group_tree.h"

#include <cerrno>
#include <utility>

namespace argv_spawn {

GroupTree::GroupTree(ChildProcess child, bool contain)
    : Tree(child.pid()), child_(std::move(child)), contain_(contain && child_.leads_group()) {}

int GroupTree::SignalChild(int signal) { return exit_ ? ESRCH : child_.SignalChild(signal); }

int GroupTree::SignalAll(int signal) { return contain_ ? child_.SignalGroup(signal) : child_.SignalChild(signal); }

int GroupTree::Watch(Reactor& reactor, Token token) {
  const int error = reactor.WatchExit(pid_, child_.exit_fd(), token);
  reactor_ = error == 0 ? &reactor : nullptr;
  return error;
}

void GroupTree::Look() {
  if (exit_) return;
  exit_ = child_.PeekExit();
  if (!exit_ || reactor_ == nullptr) return;
  reactor_->UnwatchExit(pid_, child_.exit_fd());
  reactor_ = nullptr;
}

std::optional<Usage> GroupTree::Reap() {
  if (!child_.reaped()) usage_ = child_.Reap();
  return usage_;
}

// Where a pidfd can name the group (Linux 6.9) the leader is reaped first: one system call then tells that nobody else
// is left, which is the usual case and the fast one.
bool GroupTree::IsCertainlyAlone() {
  if (!child_.leads_group()) return true;
  if (!child_.group_outlives_reap()) return false;
  Reap();
  return child_.SignalGroup(0) == ESRCH;
}

std::vector<ProcessInfo> GroupTree::Others() const {
  std::vector<ProcessInfo> others;
  if (!child_.leads_group()) return others;
  for (ProcessInfo& member : GroupMembers(pid_)) {
    if (member.pid != pid_ && !member.dead) others.push_back(std::move(member));
  }
  return others;
}

}  // namespace argv_spawn
