// What a service thread does whatever the system: it runs the tasks of other threads, holds the runs that are under
// way, and keeps one timer for each. How it waits for the system is the other half: unix/run_loop.h, win/service.h.
//
// "Service thread", here and wherever a run is concerned, is the one that turns the run's loop. A blocking call on Unix
// has a loop of its own, and is then itself that thread (unix/engine.cc).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "core/gathered_wakes.h"
#include "core/request.h"

namespace argv_spawn {

// generation (32 bits) | slot (30 bits) | source (2 bits). It stands for something of a member that the system reports,
// and never for a pointer: what comes late finds another generation in the slot. Generations start at 1, so numbers
// below 2^32 are free for what belongs to no member.
using Token = uint64_t;

class ServiceLoop {
 public:
  class Member {
   public:
    virtual void OnTime(uint64_t now) = 0;

   protected:
    ~Member() = default;

   private:
    friend class ServiceLoop;
    uint32_t slot_ = 0;
    uint32_t generation_ = 0;
    std::multimap<uint64_t, uint32_t>::iterator timer_;
  };

  // Any thread: runs `task` on the service thread.
  void Post(std::function<void()> task);

  // Any thread. Nobody turns this loop any more: tasks, those that are there and those that come, are run by `heir`,
  // which must outlive it. A task that stayed would hold its run, the run this loop, and this loop the task.
  void Retire(ServiceLoop& heir);

  // The rest: service thread.
  // Gives the member a slot; it stays alive until Detach.
  void Attach(const std::shared_ptr<Member>& member);
  // May end its life.
  void Detach(Member& member);
  // Replaces the member's one timer; kNever takes it away.
  void SetTimer(Member& member, uint64_t at);

  static Token MakeToken(const Member& member, uint64_t source);
  static uint64_t SourceOf(Token token);
  // Empty when it has been detached since the token was made.
  std::shared_ptr<Member> Find(Token token) const;

  // Wakes the sink, which may take some milliseconds: for events that come by the hundred.
  void WakeSoon(std::shared_ptr<Sink> sink);
  // More runs are about to enter, as many as have to wait for each other. A system that cannot say so says no.
  virtual bool ExpectsStarts() { return false; }

  // Nanoseconds until the next timer; 0 when it is due, kNever without one.
  uint64_t TimerSpan() const;
  void RunTasks();
  void FireTimers();

 protected:
  ServiceLoop() = default;
  ~ServiceLoop() = default;

 private:
  // Any thread: the service thread is to stop waiting and run its tasks.
  virtual void Wake() = 0;

  struct Slot {
    std::shared_ptr<Member> member;
    uint32_t generation = 0;
  };

  std::mutex tasks_mutex_;
  std::vector<std::function<void()>> tasks_;
  ServiceLoop* heir_ = nullptr;  // tasks_mutex_
  std::vector<std::function<void()>> running_tasks_;

  std::vector<Slot> slots_;
  std::vector<uint32_t> free_slots_;
  std::multimap<uint64_t, uint32_t> timers_;
  GatheredWakes wakes_;
};

}  // namespace argv_spawn
