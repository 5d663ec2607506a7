#include "unix/run_loop.h"

#include <algorithm>

#include "unix/run.h"

namespace argv_spawn {

std::optional<Failure> RunLoop::Open() { return reactor_.Open(); }

void RunLoop::Turn(uint64_t span) {
  reactor_.Wait(std::min(span, TimerSpan()), ready_);
  RunTasks();
  for (const Ready& one : ready_) Dispatch(one);
  FireTimers();
}

void RunLoop::Dispatch(const Ready& ready) {
  const std::shared_ptr<Member> member = Find(ready.token);
  if (member) static_cast<Run&>(*member).OnReady(static_cast<Source>(SourceOf(ready.token)), ready.hangup);
}

}  // namespace argv_spawn
