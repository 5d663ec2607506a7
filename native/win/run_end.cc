// How the job of a run ends: who is still in it, end or release them, verify.
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
void Run::RecordProcess(DWORD pid, const char* fate, const char* why) {
  Record({static_cast<int>(pid), ProgramName(pid), AnyPipeOpen(), fate, why});
}

void Run::SweepTree() {
  released_ = lifecycle_.releases_members() || !job_;
  const std::vector<DWORD> others = OthersInJob();
  for (const DWORD other : others) RecordProcess(other, released_ ? "left" : "ended", "");
  if (released_) {
    job_.Release();
    BeginReport();
    return;
  }
  // Also when nobody is listed: a member may have been born between the listing and now.
  {
    std::lock_guard<std::mutex> lock(mutex_);
    EndTree(kKill);
  }
  BeginVerifying();
  VerifyTree();
}

// After the job was terminated: until nobody is active in it, or the bound has passed.
void Run::VerifyTree() {
  if (!job_.IsEmpty()) {
    const uint64_t now = NowNs();
    if (may_verify_again(now)) {
      VerifyAgain(now);
      return;
    }
    for (const DWORD survivor : OthersInJob()) RecordProcess(survivor, "survived", "refused");
  }
  DrainOutputs();
  BeginReport();
}

void Run::RecordUnended() {
  RecordProcess(pid_, "survived", "refused");
  for (const DWORD other : OthersInJob()) RecordProcess(other, "survived", "refused");
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

void Run::Describe(Outcome& outcome) {
  outcome.pid = static_cast<int>(pid_);
  // A job is the strongest there is; less was asked for, so less is promised.
  outcome.tree = job_ ? request_.containment : TreeStrength::kNone;
  outcome.parent_death = job_ ? ParentDeath::kJob : ParentDeath::kNone;
  outcome.usage = ReadUsage();
}

void Run::OnReported() {
  if (!exit_seen_) return;
  std::lock_guard<std::mutex> lock(mutex_);
  process_.Reset();
  job_.Close();
}

}  // namespace argv_spawn
