#include "unix/keeper_tree.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "keeper/protocol.h"
#include "unix/child_process.h"
#include "unix/group_tree.h"
#include "unix/pidfd.h"
#include "unix/sigpipe.h"

namespace argv_spawn {

namespace {

// Between a keeper's closing of its pipes and the moment it can be reaped.
constexpr uint64_t kReapPause = 1'000'000;  // nanoseconds
// Where the reports cannot be watched.
constexpr uint64_t kReportPause = 20'000'000;

// Any thread. errno, or 0.
int WriteQuietly(int fd, const void* data, size_t size) {
  const SigpipeBlock block;
  ssize_t count;
  do {
    count = write(fd, data, size);
  } while (count < 0 && errno == EINTR);
  return count < 0 ? errno : 0;
}

Usage ToUsage(const keeper::Report& report) {
  Usage usage;
  usage.user_ms = static_cast<double>(report.user_us) / 1000;
  usage.system_ms = static_cast<double>(report.system_us) / 1000;
  usage.max_rss_bytes = report.max_rss_kb * 1024;
  return usage;
}

}  // namespace

KeeperTree::KeeperTree(pid_t child, UniqueFd pidfd, pid_t keeper, UniqueFd commands, UniqueFd reports)
    : Tree(child),
      pidfd_(std::move(pidfd)),
      keeper_(keeper),
      commands_(std::move(commands)),
      reports_(std::move(reports)) {}

int KeeperTree::Send(uint32_t kind, int signal) {
  if (!commands_ || ended_) return ESRCH;
  const keeper::Command command{kind, signal};
  const int error = WriteQuietly(commands_.get(), &command, sizeof command);
  return error == EPIPE ? ESRCH : error;
}

int KeeperTree::SignalChild(int signal) {
  if (exit_) return ESRCH;
  if (!pidfd_) return Send(keeper::Command::kSignalChild, signal);
  return pidfd::Signal(pidfd_.get(), signal) == 0 ? 0 : errno;
}

int KeeperTree::SignalAll(int signal) {
  if (empty_) return ESRCH;
  if (signal != SIGKILL) return Send(keeper::Command::kSignalTree, signal);
  End();
  return 0;
}

// Somebody of the tree may have stopped the keeper; it is our child and unreaped, so the number is its.
void KeeperTree::Wake() {
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(keeper_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0) return;
  kill(keeper_, SIGCONT);
}

void KeeperTree::End() {
  if (ended_) return;
  Wake();
  // A full pipe: the keeper has not read for long. It will find the end of the file.
  if (Send(keeper::Command::kEnd, 0) != 0) commands_.Reset();
}

void KeeperTree::Release() {
  Send(keeper::Command::kRelease, 0);
  commands_.Reset();
}

int KeeperTree::Watch(Reactor& reactor, Token token) {
  const int error = reactor.Watch(reports_.get(), Interest::kRead, token, false);
  reactor_ = error == 0 ? &reactor : nullptr;
  return error;
}

uint64_t KeeperTree::look_again() const {
  if (reaped_) return kNever;
  if (ended_) return kReapPause;
  return reactor_ == nullptr ? kReportPause : kNever;
}

void KeeperTree::Look() {
  while (!ended_) {
    keeper::Report report{};
    const ssize_t count = read(reports_.get(), &report, sizeof report);
    const int error = errno;
    if (count < 0 && error == EINTR) continue;
    if (count < 0 && error == EAGAIN) return;
    if (count != static_cast<ssize_t>(sizeof report)) {
      OnEnd();
      break;
    }
    if (report.kind == keeper::Report::kEnded) {
      EndedProcess& ended = ended_processes_.emplace_back();
      ended.info.pid = report.pid;
      ended.info.name.assign(report.name, strnlen(report.name, sizeof report.name));
      ended.held = report.held;
    }
    if (report.kind != keeper::Report::kExited) continue;
    exit_ = MakeExitState(report.code, report.status);
    usage_ = ToUsage(report);
    empty_ = report.alone != 0;
  }
  TryReap();
}

// The only writer has gone. After the exit report that means that it found nobody left.
void KeeperTree::OnEnd() {
  if (reactor_ != nullptr) reactor_->Unwatch(reports_.get());
  reactor_ = nullptr;
  reports_.Reset();
  commands_.Reset();
  ended_ = true;
}

void KeeperTree::TryReap() {
  if (reaped_) return;
  int status = 0;
  pid_t result;
  do {
    result = waitpid(keeper_, &status, WNOHANG);
  } while (result < 0 && errno == EINTR);
  if (result == 0) return;
  reaped_ = true;
  // It ends by itself when nobody is left, and only then. Where somebody else in this process has reaped it, its exit
  // report has to do.
  const bool by_itself = result == keeper_ ? WIFEXITED(status) : exit_.has_value();
  empty_ = empty_ || by_itself;
}

// The keeper was killed: what is left is the child's group, through the pidfd.
std::unique_ptr<Tree> KeeperTree::Replacement() {
  if (!reaped_ || empty_) return nullptr;
  return std::make_unique<GroupTree>(ChildProcess(pid_, std::move(pidfd_)), true);
}

std::vector<ProcessInfo> KeeperTree::Others() const {
  std::vector<ProcessInfo> others;
  if (empty_ || reaped_) return others;
  for (ProcessInfo& process : Descendants(keeper_)) {
    if (process.pid != pid_ && !process.dead) others.push_back(std::move(process));
  }
  return others;
}

}  // namespace argv_spawn
