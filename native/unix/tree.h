// The direct child and everything it has started, by what holds them together: a process group (group_tree.cc) or a
// keeper (keeper_tree.cc).
//
// Not thread-safe. Run holds a lock around what other threads may ask for, and around Look and Reap, which change what
// the answers depend on; the rest belongs to the service thread.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <vector>

#include "core/event.h"
#include "core/request.h"
#include "unix/process_table.h"
#include "unix/reactor.h"

namespace argv_spawn {

// Was alive when the tree was ended. `held`: bit 0, bit 1: the pipe that was the direct child's stdout, stderr.
struct EndedProcess {
  ProcessInfo info;
  uint32_t held = 0;
};

class Tree {
 public:
  virtual ~Tree() = default;
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  pid_t pid() const { return pid_; }
  virtual TreeStrength strength() const = 0;
  virtual ParentDeath parent_death() const = 0;
  // What is said of a process that holds a pipe of the run and is not in Others().
  virtual const char* why_outside() const = 0;

  // Any thread, locked. 0 or errno; ESRCH once there is nobody to be signalled.
  virtual int SignalChild(int signal) = 0;
  virtual int SignalAll(int signal) = 0;

  // Look() is wanted whenever `token` is reported, until over(). errno, or 0.
  virtual int Watch(Reactor& reactor, Token token) = 0;
  // When Watch failed: a child of ours whose end a thread can wait for; 0: there is none, call Look now and then.
  virtual pid_t waitable() const = 0;
  // Look() is wanted although nothing is reported, after so many nanoseconds.
  virtual uint64_t look_again() const { return kNever; }
  // Locked. Takes in what has happened.
  virtual void Look() = 0;
  // Locked. Lets go of the child's number; nothing before exit().
  virtual std::optional<Usage> Reap() = 0;

  // How the direct child ended; nothing while it runs.
  const std::optional<ExitState>& exit() const { return exit_; }
  // Nothing is left to look at or to reap.
  virtual bool over() const = 0;
  // The means to hold the tree has gone: use what this returns instead.
  virtual std::unique_ptr<Tree> Replacement() { return nullptr; }

  // Locked. No process but the direct child can be left. May reap it, where that makes the answer certain and cheap.
  virtual bool IsCertainlyAlone() = 0;
  // Living processes of the tree, without the direct child.
  virtual std::vector<ProcessInfo> Others() const = 0;
  // After End(), over() is the proof that nobody is left, and TakeEnded() has named who was ended. Otherwise Others()
  // has to be asked: before, for the names, and after, for the proof.
  virtual bool reports_its_end() const = 0;
  virtual std::vector<EndedProcess> TakeEnded() { return {}; }

  // Locked. The run is over: ends what remains, or lets it live.
  virtual void End() = 0;
  virtual void Release() = 0;

 protected:
  explicit Tree(pid_t pid) : pid_(pid) {}

  const pid_t pid_;
  std::optional<ExitState> exit_;
};

}  // namespace argv_spawn
