// A tree held together by a process group alone: what has moved to another group or session is beyond reach.
#pragma once

#include <signal.h>

#include "unix/child_process.h"
#include "unix/tree.h"

namespace argv_spawn {

class GroupTree final : public Tree {
 public:
  // `contain` false: the group is looked at, but signals go to the direct child only.
  GroupTree(ChildProcess child, bool contain);

  TreeStrength strength() const override { return contain_ ? TreeStrength::kGroup : TreeStrength::kNone; }
  ParentDeath parent_death() const override { return ParentDeath::kExitHook; }
  const char* why_outside() const override { return contain_ ? "left-group" : "not-contained"; }

  int SignalChild(int signal) override;
  int SignalAll(int signal) override;

  int Watch(Reactor& reactor, Token token) override;
  pid_t waitable() const override { return child_.is_foreign() ? 0 : pid_; }
  void Look() override;
  std::optional<Usage> Reap() override;
  bool over() const override { return child_.reaped(); }

  bool IsCertainlyAlone() override;
  std::vector<ProcessInfo> Others() const override;
  bool reports_its_end() const override { return false; }
  void End() override { child_.SignalGroup(SIGKILL); }
  void Release() override {}

 private:
  ChildProcess child_;
  bool contain_;
  std::optional<Usage> usage_;
  Reactor* reactor_ = nullptr;
};

}  // namespace argv_spawn
