// The keeper: one process between the host and one program it starts. It adopts every orphan of that program's tree,
// whatever group or session it has moved to, and ends the tree when it is told to or when the host is gone. It ends
// itself as soon as nobody of the tree is left.
//
// Where the host's other ends are: reading commands is also how the host's death is seen, because the kernel closes
// the write end, and nobody else has it. In case a process that the host forked without exec keeps a copy, the parent
// is watched as well.
#include "keeper/program.h"
#include "keeper/protocol.h"
#include "keeper/system.h"
#include "keeper/tree.h"
#include "keeper/witness.h"

namespace keeper {

namespace {

constexpr int kLongestPause = 8000;  // milliseconds between passes over somebody whom no signal ends

[[noreturn]] void Refuse(Report::Stage stage, int error) {
  Report report{};
  report.kind = Report::kFailed;
  report.stage = stage;
  report.error = error;
  Write(kReportFd, &report, sizeof report);
  Exit(1);
}

void SetCloexec(int fd) {
  constexpr int kSetFlags = 2;  // F_SETFD
  constexpr int kCloexec = 1;   // FD_CLOEXEC
  Call(__NR_fcntl, fd, kSetFlags, kCloexec);
}

void BecomeSubreaper() {
  constexpr int kSetSubreaper = 36;  // PR_SET_CHILD_SUBREAPER
  const long result = Call(__NR_prctl, kSetSubreaper, 1);
  if (IsError(result)) Refuse(Report::kContain, static_cast<int>(-result));
}

// Without this call no end would ever be seen; asked while the only right answer is ECHILD.
void CheckWaiting() {
  SignalInfo info{};
  const int result = Wait(kAnyChild, 0, &info, kExitedOnes | kNoHang | kNoReap, nullptr);
  if (result != -ECHILD) Refuse(Report::kContain, result == 0 ? EBUSY : -result);
}

// Readable when a child has ended.
int WatchChildren() {
  constexpr int kFlags = 02000000 | 04000;  // SFD_CLOEXEC | SFD_NONBLOCK
  const uint64_t mask = uint64_t{1} << (kSigChld - 1);
  const long fd = Call(__NR_signalfd4, -1, Address(&mask), sizeof mask, kFlags);
  if (IsError(fd)) Refuse(Report::kContain, static_cast<int>(-fd));
  return static_cast<int>(fd);
}

Program::Outcome StartProgram() {
  Start start;
  if (Read(kCommandFd, &start, sizeof start) != sizeof start) Exit(1);
  if (start.protocol != kProtocol) Refuse(Report::kContain, 0);
  if (!CanSeeProcesses()) Refuse(Report::kContain, ENOENT);
  BecomeSubreaper();
  CheckWaiting();
  Program program;
  if (const int error = program.Receive(start)) Refuse(Report::kContain, error);
  SetCloexec(kCommandFd);
  SetCloexec(kReportFd);
  const Program::Outcome outcome = program.Execute();
  if (outcome.pid == 0) Refuse(outcome.stage, outcome.error);
  Report report{};
  report.kind = Report::kStarted;
  report.pid = outcome.pid;
  Write(kReportFd, &report, sizeof report);
  program.Forget();
  return outcome;
}

class Keeper {
 public:
  Keeper(int leader, int children, const Witness& witness) : tree_(leader), witness_(witness), children_(children) {}

  [[noreturn]] void Run() {
    const int host = PidfdOpen(GetParent());
    for (;;) {
      // An entry with a negative descriptor is passed over (poll(2)).
      PollEntry entries[] = {{children_, kPollIn, 0}, {listens_ ? kCommandFd : -1, kPollIn, 0}, {host, kPollIn, 0}};
      entries[2].fd = mode_ == Mode::kWatching ? host : -1;
      Pause(entries);
      if (entries[0].revents != 0) OnChildren();
      if (entries[1].revents != 0) OnCommands();
      if (entries[2].revents != 0) OnHostGone();
    }
  }

 private:
  enum class Mode { kWatching, kEnding, kReleased };

  void Pause(PollEntry (&entries)[3]) {
    struct {
      int64_t s;
      int64_t ns;
    } span{pause_ / 1000, (pause_ % 1000) * int64_t{1'000'000}};
    const bool ending = mode_ == Mode::kEnding;
    const long count = Call(__NR_ppoll, Address(entries), 3, ending ? Address(&span) : 0, 0, 0);
    if (ending && count == 0) EndPass();
  }

  // Usually nobody is left, and there is no time to be lost with the signals. One that comes between the two lines is
  // lost, so there is another look.
  void OnChildren() {
    LookAtChildren();
    char block[128 * 4];  // struct signalfd_siginfo; its contents say nothing that waitid does not
    Read(children_, block, sizeof block);
    LookAtChildren();
  }

  void LookAtChildren() {
    if (!exit_seen_) {
      SignalInfo info{};
      Usage usage{};
      // Not reaped: its number and its group's stay ours for the signals that may be needed.
      if (Wait(kOneChild, tree_.leader(), &info, kExitedOnes | kNoHang | kNoReap, &usage) == 0 && info.pid != 0) {
        exit_seen_ = true;
        const bool alone = tree_.ReapOthers();
        ReportExit(info, usage, alone);
        if (alone || mode_ == Mode::kReleased) tree_.ReapLeader();
        if (alone) Exit(0);
        return;
      }
    }
    if (tree_.ReapOthers() && exit_seen_) {
      tree_.ReapLeader();
      Exit(0);
    }
  }

  static void ReportExit(const SignalInfo& info, const Usage& usage, bool alone) {
    Report report{};
    report.kind = Report::kExited;
    report.pid = info.pid;
    report.code = info.code;
    report.status = info.status;
    report.alone = alone ? 1 : 0;
    report.user_us = usage.user_s * 1'000'000 + usage.user_us;
    report.system_us = usage.system_s * 1'000'000 + usage.system_us;
    report.max_rss_kb = usage.max_rss_kb;
    Write(kReportFd, &report, sizeof report);
  }

  void OnCommands() {
    Command commands[16];
    const long count = Read(kCommandFd, commands, sizeof commands);
    if (count <= 0) {
      listens_ = false;
      OnHostGone();
      return;
    }
    for (size_t i = 0; i < static_cast<size_t>(count) / sizeof(Command); i++) Obey(commands[i]);
  }

  void Obey(const Command& command) {
    switch (command.kind) {
      case Command::kSignalChild:
        if (!exit_seen_) SendSignal(tree_.leader(), command.signal);
        break;
      case Command::kSignalTree:
        tree_.Signal(command.signal);
        break;
      case Command::kEnd:
        End();
        break;
      case Command::kRelease:
        mode_ = Mode::kReleased;
        if (exit_seen_) tree_.ReapLeader();
        LookAtChildren();
        break;
    }
  }

  void OnHostGone() {
    if (mode_ == Mode::kWatching) End();
  }

  void End() {
    mode_ = Mode::kEnding;
    pause_ = 1;
    EndPass();
  }

  // Whoever is reaped meanwhile wakes the poll; a pass that found nobody alive has left nothing but those.
  void EndPass() {
    tree_.Kill(witness_);
    pause_ = pause_ * 2 < kLongestPause ? pause_ * 2 : kLongestPause;
    LookAtChildren();
  }

  Tree tree_;
  Witness witness_;
  int children_;
  Mode mode_ = Mode::kWatching;
  bool exit_seen_ = false;
  bool listens_ = true;
  int pause_ = 1;
};

}  // namespace

}  // namespace keeper

void KeeperMain(long*) {
  using namespace keeper;
  SetSignalMask(~uint64_t{0});
  // The host may ignore it, and so would we: children would then vanish without a trace.
  SetDefault(kSigChld);
  const int children = WatchChildren();
  const Program::Outcome started = StartProgram();
  const uint64_t pipes[] = {InodeOf(1), InodeOf(2)};
  // From here on the program's streams are its own: whoever waits for their end must not wait for us.
  for (int fd = 0; fd < 3; fd++) Close(fd);
  const char* root = "/";
  Call(__NR_chdir, Address(root));
  Keeper(started.pid, children, Witness(pipes)).Run();
}
