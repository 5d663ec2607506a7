// How a run is asked to end, and how it is ended.
//
// Windows has no signal that a program may heed. What comes nearest: the end of its input, an event on its console
// (CTRL_C for SIGINT, else CTRL_BREAK, which no program can be started deaf to), and WM_CLOSE to its windows. Where
// there is none of them, waiting out the grace would serve nobody.
#include <utility>

#include "core/clock.h"
#include "win/polite.h"
#include "win/run.h"
#include "win/threads.h"

namespace argv_spawn {

// Processes of this run, kept by a handle that a child of ours may inherit: the leader first, while it runs.
std::vector<UniqueHandle> Run::OpenMembers() const {
  std::vector<DWORD> pids = OthersInJob();
  if (!exit_seen_) pids.insert(pids.begin(), pid_);
  std::vector<UniqueHandle> members;
  for (const DWORD pid : pids) {
    UniqueHandle process(OpenProcess(SYNCHRONIZE | PROCESS_QUERY_LIMITED_INFORMATION, TRUE, pid));
    if (!process) continue;
    BOOL inside = TRUE;  // the leader's number is kept by process_; another's may be a stranger's by now
    if (pid != pid_) IsProcessInJob(process.get(), job_.get(), &inside);
    if (inside != 0) members.push_back(std::move(process));
  }
  return members;
}

// Service thread. The first step of the ladder.
void Run::AskToEnd() {
  if (request_.kill_signal == kKill) {
    Perform(lifecycle_.OnNothingPolite(NowNs()));
    return;
  }
  asked_politely_ = input_.is_open();
  CloseInput();
  const std::vector<DWORD> processes = job_ ? job_.Members() : std::vector<DWORD>{pid_};
  if (CloseWindows(processes) > 0) asked_politely_ = true;
  // On our own console the event would be ours, too.
  if (SharesConsole(request_)) {
    OnEventDone(0);
    return;
  }
  const DWORD event = request_.kill_signal == kInterrupt ? CTRL_C_EVENT : CTRL_BREAK_EVENT;
  auto members = std::make_shared<std::vector<UniqueHandle>>(OpenMembers());
  const bool submitted = RunOnPool([self = Self(), event, members] {
    auto sender = std::make_shared<UniqueHandle>(StartConsoleEvent(event, *members));
    self->service_.Post([self, sender] { self->OnEventStarted(std::move(*sender)); });
  });
  if (!submitted) OnEventDone(0);
}

void Run::OnEventStarted(UniqueHandle sender) {
  if (!attached_) return;
  event_sender_ = std::move(sender);
  if (!event_sender_) {
    OnEventDone(0);
  } else if (!service_.WatchExit(TokenOf(Source::kConsoleEvent), event_sender_.get(), event_wait_)) {
    OnEventDone(1);  // it is on its way
  }
}

void Run::OnEventExit() {
  DWORD consoles = 0;
  if (!event_sender_ || WaitForSingleObject(event_sender_.get(), 0) != WAIT_OBJECT_0) return;
  GetExitCodeProcess(event_sender_.get(), &consoles);
  ForgetEvent();
  OnEventDone(consoles);
}

void Run::OnEventDone(DWORD consoles) {
  if (consoles == 0 && !asked_politely_ && ending_ == Ending::kNo) Perform(lifecycle_.OnNothingPolite(NowNs()));
  UpdateTimer();
}

void Run::ForgetEvent() {
  if (event_wait_ != nullptr) UnregisterWait(event_wait_);
  event_wait_ = nullptr;
  event_sender_.Reset();
}

bool Run::ForceEnd() {
  DWORD error;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    error = EndTree(kKill);
  }
  return error != ERROR_ACCESS_DENIED || WaitForSingleObject(process_.get(), 0) != WAIT_TIMEOUT;
}

DWORD Run::EndChild(int signal) {
  return TerminateProcess(process_.get(), kEndedByUs | static_cast<uint32_t>(signal)) != 0 ? ERROR_SUCCESS
                                                                                           : GetLastError();
}

DWORD Run::EndTree(int signal) {
  return job_ ? job_.Terminate(kEndedByUs | static_cast<uint32_t>(signal)) : EndChild(signal);
}

}  // namespace argv_spawn
