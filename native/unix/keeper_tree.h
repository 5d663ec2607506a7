// A tree held together by a keeper (native/keeper): everything that was ever started in it, wherever it has moved.
#pragma once

#include <utility>
#include <vector>

#include "unix/fd.h"
#include "unix/tree.h"

namespace argv_spawn {

class KeeperTree final : public Tree {
 public:
  // `pidfd` is the direct child's, and may be empty. `keeper` is a child of this process.
  KeeperTree(pid_t child, UniqueFd pidfd, pid_t keeper, UniqueFd commands, UniqueFd reports);

  TreeStrength strength() const override { return TreeStrength::kTree; }
  ParentDeath parent_death() const override { return ParentDeath::kKeeper; }
  const char* why_outside() const override { return "outside-tree"; }

  int SignalChild(int signal) override;
  int SignalAll(int signal) override;

  int Watch(Reactor& reactor, Token token) override;
  pid_t waitable() const override { return 0; }
  uint64_t look_again() const override;
  void Look() override;
  std::optional<Usage> Reap() override { return usage_; }
  bool over() const override { return reaped_; }
  std::unique_ptr<Tree> Replacement() override;

  bool IsCertainlyAlone() override { return empty_; }
  std::vector<ProcessInfo> Others() const override;
  std::vector<EndedProcess> TakeEnded() override { return std::exchange(ended_processes_, {}); }
  // The keeper ends when it has nobody left; what a walk over a moving tree does not find proves nothing.
  bool reports_its_end() const override { return true; }
  void End() override;
  void Release() override;

 private:
  int Send(uint32_t kind, int signal);
  void Wake();
  void OnEnd();
  void TryReap();

  UniqueFd pidfd_;
  const pid_t keeper_;
  UniqueFd commands_;  // its closing tells the keeper that the host is gone
  UniqueFd reports_;
  Reactor* reactor_ = nullptr;
  std::optional<Usage> usage_;
  std::vector<EndedProcess> ended_processes_;
  bool empty_ = false;   // nobody of the tree is left
  bool ended_ = false;   // the keeper has closed its end: it is gone, or about to be
  bool reaped_ = false;  // the keeper
};

}  // namespace argv_spawn
