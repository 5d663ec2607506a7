// How a run ends: who is still in the job, end or release them, verify, wait for tee files, report.
//
// What remains is listed before anything is ended, so that the report has names and not only numbers. The end is proved
// by the job itself: its message that no process is active, or the same fact when it is asked.
#include <windows.h>
// After windows.h.
#include <psapi.h>

#include <algorithm>
#include <utility>

#include "core/clock.h"
#include "win/run.h"

namespace argv_spawn {

namespace {

constexpr uint64_t kMillisecond = 1'000'000;
// How long members may take to disappear after the job was terminated before they are reported as survivors.
constexpr uint64_t kVerifyBound = 1000 * kMillisecond;
constexpr uint64_t kVerifySpan = 10 * kMillisecond;
// How long a tee file may take to be written after the run is over.
constexpr uint64_t kFlushBound = 1000 * kMillisecond;

double Milliseconds(const FILETIME& span) {
  return static_cast<double>((static_cast<uint64_t>(span.dwHighDateTime) << 32) | span.dwLowDateTime) / 1e4;
}

}  // namespace

std::vector<DWORD> Run::OthersInJob() const {
  std::vector<DWORD> others = job_.Members();
  const auto is_no_other = [this](DWORD pid) { return pid == pid_ || IsConsoleHost(pid); };
  others.erase(std::remove_if(others.begin(), others.end(), is_no_other), others.end());
  return others;
}

// Windows does not say who holds a pipe: held_pipe means that one was open while this process was there.
void Run::Record(DWORD pid, const char* fate, const char* why) {
  Leftover leftover;
  leftover.pid = static_cast<int>(pid);
  leftover.name = ProgramName(pid);
  leftover.held_pipe = AnyPipeOpen();
  leftover.fate = fate;
  leftover.why = why;
  leftovers_.push_back(std::move(leftover));
}

// While a ladder runs and the leader has ended: is anyone else still winding down?
void Run::CheckMembers() { Perform(lifecycle_.OnMembers(!OthersInJob().empty(), NowNs())); }

void Run::Sweep() {
  Drain(output_);
  Drain(error_);
  CloseInput();
  released_ = lifecycle_.releases_members() || !job_;
  const std::vector<DWORD> others = OthersInJob();
  for (const DWORD other : others) Record(other, released_ ? "left" : "ended", "");
  if (released_) {
    job_.Release();
    FinishWhenFlushed();
    return;
  }
  // Also when nobody is listed: a member may have been born between the listing and now.
  {
    std::lock_guard<std::mutex> lock(mutex_);
    EndTree(kKill);
  }
  ending_ = Ending::kVerifying;
  ending_until_ = NowNs() + kVerifyBound;
  Verify();
}

// After the job was terminated: until nobody is active in it, or the bound has passed.
void Run::Verify() {
  const uint64_t now = NowNs();
  if (!job_.IsEmpty()) {
    if (now < ending_until_) {
      ending_next_ = now + kVerifySpan;
      return;
    }
    for (const DWORD survivor : OthersInJob()) {
      const auto known = std::find_if(leftovers_.begin(), leftovers_.end(), [survivor](const Leftover& one) {
        return one.pid == static_cast<int>(survivor);
      });
      if (known == leftovers_.end()) {
        Record(survivor, "survived", "refused");
      } else {
        known->fate = "survived";
        known->why = "refused";
      }
    }
  }
  Drain(output_);
  Drain(error_);
  FinishWhenFlushed();
}

// The program could not be ended: say who is there and let go. The watch for its exit stays.
void Run::GiveUp() {
  ended_ = NowNs();
  Record(pid_, "survived", "refused");
  for (const DWORD other : OthersInJob()) Record(other, "survived", "refused");
  Drain(output_);
  Drain(error_);
  FinishWhenFlushed();
}

void Run::FinishWhenFlushed() {
  if (ending_ == Ending::kReported) return;
  bool waiting = false;
  for (const OutputPipe* pipe : {&output_, &error_}) waiting = waiting || (pipe->tee() && pipe->tee()->waiting() > 0);
  const uint64_t now = NowNs();
  if (waiting && ending_ != Ending::kFlushing) {
    ending_ = Ending::kFlushing;
    ending_until_ = now + kFlushBound;
    ending_next_ = ending_until_;
    return;
  }
  if (waiting && now < ending_until_) return;
  ending_ = Ending::kReported;
  ending_next_ = kNever;
  Finish();
}

std::optional<Usage> Run::ReadUsage() const {
  FILETIME created;
  FILETIME exited;
  FILETIME kernel;
  FILETIME user;
  if (GetProcessTimes(process_.get(), &created, &exited, &kernel, &user) == 0) return std::nullopt;
  Usage usage;
  usage.user_ms = Milliseconds(user);
  usage.system_ms = Milliseconds(kernel);
  PROCESS_MEMORY_COUNTERS memory{};
  if (K32GetProcessMemoryInfo(process_.get(), &memory, sizeof memory) != 0 && memory.PeakWorkingSetSize > 0) {
    usage.max_rss_bytes = static_cast<int64_t>(memory.PeakWorkingSetSize);
  }
  return usage;
}

void Run::ClosePipe(OutputPipe& pipe) {
  if (!pipe.is_open()) return;
  if (pipe.streams()) {
    Event event = MakeEvent(Event::Kind::kEnd);
    event.stream = pipe.stream();
    Send(std::move(event));
  }
  if (!released_) {
    pipe.Close();
    return;
  }
  // A process that was left behind must not die of a pipe that nobody reads.
  pipe.Discard();
  PumpOutput(pipe);
}

void Run::Finish() {
  auto outcome = std::make_unique<Outcome>();
  for (OutputPipe* pipe : {&output_, &error_}) {
    std::optional<Capture> capture = pipe->TakeCapture();
    if (capture && capture->tee && pipe->tee()->waiting() > 0) capture->tee->error = "ETIMEDOUT";
    (pipe == &output_ ? outcome->output : outcome->error) = std::move(capture);
    ClosePipe(*pipe);
  }
  outcome->pid = static_cast<int>(pid_);
  outcome->program = program_;
  outcome->cause = lifecycle_.cause();
  outcome->exit = exit_;
  outcome->forced = lifecycle_.forced();
  outcome->stdin_bytes = input_.written();
  outcome->stdin_closed_early = input_.closed_early();
  outcome->leftovers = std::move(leftovers_);
  // A job is the strongest there is; less was asked for, so less is promised.
  outcome->tree = job_ ? request_.containment : TreeStrength::kNone;
  outcome->parent_death = job_ ? ParentDeath::kJob : ParentDeath::kNone;
  outcome->started_at_ms = started_at_ms_;
  outcome->duration_ms = static_cast<double>(ended_ - started_) / 1e6;
  outcome->usage = ReadUsage();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    state_ = State::kEnded;
    if (exit_seen_) {
      process_.Reset();
      job_.Close();
    }
  }
  Event event = MakeEvent(Event::Kind::kFinished);
  event.outcome = std::move(outcome);
  Send(std::move(event));
  if (exit_seen_ && !AnyPipeOpen()) LeaveService();
}

void Run::LeaveService() {
  if (detached_ || !exit_seen_) return;
  detached_ = true;
  ForgetEvent();
  service_.Detach(*this);
}

}  // namespace argv_spawn
