// The program's path, argv and environment go through the command pipe and not through the keeper's own argv:
//  - exec's size limits then apply to exactly what they would apply to without a keeper;
//  - nobody who searches for the program by its command line finds, or kills, the keeper;
//  - the keeper can give the memory back, and no second copy of the environment stays visible in /proc.
#include "unix/keeper_start.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "keeper/protocol.h"
#include "unix/child_process.h"
#include "unix/descriptors.h"
#include "unix/keeper_tree.h"
#include "unix/os_error.h"
#include "unix/pidfd.h"
#include "unix/vfork_exec.h"

namespace argv_spawn {

namespace {

std::string MakeStartMessage(const std::string& program, const std::vector<char*>& argv,
                             const std::vector<char*>& env) {
  std::string strings(program.c_str(), program.size() + 1);
  for (const std::vector<char*>* entries : {&argv, &env}) {
    for (const char* entry : *entries) {
      if (entry != nullptr) strings.append(entry, std::strlen(entry) + 1);
    }
  }
  keeper::Start start{};
  start.protocol = keeper::kProtocol;
  start.argc = static_cast<uint32_t>(argv.size() - 1);
  start.envc = static_cast<uint32_t>(env.size() - 1);
  start.size = static_cast<uint32_t>(strings.size());
  return std::string(reinterpret_cast<const char*>(&start), sizeof start) + strings;
}

// Writes what the pipe takes without waiting. False when nobody reads any more.
bool SendSome(int fd, const std::string& message, size_t& sent) {
  while (sent < message.size()) {
    const ssize_t count = write(fd, message.data() + sent, message.size() - sent);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN;
    sent += static_cast<size_t>(count);
  }
  return true;
}

// Sends the rest, then waits for the first report. Nothing when the keeper ended without one.
std::optional<keeper::Report> Converse(int commands, int reports, const std::string& message, size_t sent) {
  for (;;) {
    pollfd entries[] = {{reports, POLLIN, 0}, {sent < message.size() ? commands : -1, POLLOUT, 0}};
    if (poll(entries, 2, -1) < 0 && errno != EINTR) return std::nullopt;
    if (entries[1].revents != 0 && !SendSome(commands, message, sent)) sent = message.size();
    if (entries[0].revents == 0) continue;
    keeper::Report report{};
    const ssize_t count = read(reports, &report, sizeof report);
    if (count == static_cast<ssize_t>(sizeof report)) return report;
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) return std::nullopt;
    // Records of another size: another version, which has read our number before anything else and refuses.
    report = keeper::Report{};
    report.kind = keeper::Report::kFailed;
    report.stage = keeper::Report::kContain;
    return report;
  }
}

// How it ended, as waitpid has it.
int AwaitEnd(pid_t keeper) {
  int status = 0;
  while (waitpid(keeper, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// A pidfd of the keeper's child. The keeper reaps it before it ends itself, so as long as the keeper has not ended the
// number has not been given to anybody else.
UniqueFd OpenCertainly(pid_t pid, pid_t keeper) {
  if (!HasPidfd()) return UniqueFd();
  UniqueFd fd(pidfd::Open(pid));
  siginfo_t info{};
  const bool runs =
      waitid(P_PID, static_cast<id_t>(keeper), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
  return runs ? std::move(fd) : UniqueFd();
}

bool IsShortage(int error) { return error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE; }

// A filter may refuse vfork or close_range: posix_spawn knows other ways.
int StartKeeper(pid_t& pid, const SpawnCall& call, const std::vector<char*>& argv, const std::vector<char*>& env) {
  const int error = VforkExec(pid, call, argv, env);
  return error == ENOSYS || error == EPERM ? SpawnOnce(pid, call, argv, env) : error;
}

}  // namespace

KeeperAnswer StartUnderKeeper(const std::string& keeper, const SpawnCall& call, const std::vector<char*>& argv,
                              const std::vector<char*>& env) {
  KeeperAnswer answer;
  Result<PipeEnds> commands = OpenPipe(kKeeperCommands);
  if (!commands.ok()) {
    answer.failure = std::move(commands.failure());
    return answer;
  }
  Result<PipeEnds> reports = OpenPipe(kKeeperReports);
  if (!reports.ok()) {
    answer.failure = std::move(reports.failure());
    return answer;
  }
  const std::string message = MakeStartMessage(call.path, argv, env);
  size_t sent = 0;
  SendSome(commands.value().write.get(), message, sent);

  SpawnCall own = call;
  own.path = keeper;
  own.new_session = true;
  own.fds.push_back(commands.value().read.get());
  own.fds.push_back(reports.value().write.get());
  static_assert(keeper::kCommandFd == 3 && keeper::kReportFd == 4, "the order of the two lines above");
  static char name[] = "argv-keeper";
  pid_t pid = 0;
  const int error = StartKeeper(pid, own, {name, nullptr}, {nullptr});
  if (error != 0) {
    answer.error = error;
    answer.unusable = !IsShortage(error);
    return answer;
  }
  commands.value().read.Reset();
  reports.value().write.Reset();
  const auto report = Converse(commands.value().write.get(), reports.value().read.get(), message, sent);
  if (report && report->kind == keeper::Report::kStarted) {
    answer.tree = std::make_unique<KeeperTree>(report->pid, OpenCertainly(report->pid, pid), pid,
                                               std::move(commands.value().write), std::move(reports.value().read));
    return answer;
  }
  const int status = AwaitEnd(pid);
  if (!report && WIFEXITED(status) && WEXITSTATUS(status) == kNoExec) {
    // Where vfork copies the memory (qemu-user) its error stays in the child: there never was a keeper.
    answer.unusable = true;
    return answer;
  }
  if (!report) {
    // Not known whether the program had been started, so it is not started again.
    answer.failure = OsFailure(Stage::kFork, "read", "host", keeper, EPIPE);
    answer.failure->detail = "the keeper was ended while it started the program";
    return answer;
  }
  answer.error = report->error;
  const bool refused = report->error == EPERM || report->error == ENOSYS;
  answer.unusable = report->stage == keeper::Report::kContain || (report->stage != keeper::Report::kExec && refused);
  return answer;
}

}  // namespace argv_spawn
