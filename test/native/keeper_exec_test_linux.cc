#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <vector>

#include "check.h"
#include "keeper/protocol.h"
#include "unix/keeper_exec.h"

using namespace argv_spawn;

namespace {

// Starts `path` as the keeper is started, and reads what comes through the pipe for reports until its end.
std::string Start(const std::string& path, int cwd, int& status) {
  int ends[2];
  CHECK(pipe2(ends, O_CLOEXEC) == 0);
  const int write_end = fcntl(ends[1], F_DUPFD_CLOEXEC, 10);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  const int input = fcntl(null, F_DUPFD_CLOEXEC, 10);
  const std::vector<int> fds = {input, write_end, input, input, write_end};
  KeeperExec exec(path, fds, cwd);
  pid_t pid = 0;
  CHECK(exec.Start(pid) == 0);
  for (const int fd : {ends[1], write_end, null, input}) close(fd);
  std::string told;
  char block[512];
  for (ssize_t count = 1; count > 0;) {
    count = read(ends[0], block, sizeof block);
    if (count > 0) told.append(block, static_cast<size_t>(count));
  }
  close(ends[0]);
  CHECK(waitpid(pid, &status, 0) == pid);
  return told;
}

int ReportedError(const std::string& told) {
  CHECK(told.size() == sizeof(keeper::Report));
  const auto* report = reinterpret_cast<const keeper::Report*>(told.data());
  CHECK(report->kind == keeper::Report::kFailed && report->stage == keeper::Report::kKeeper);
  return report->error;
}

}  // namespace

TEST(KeeperExecBecomesTheProgram, "the keeper's process becomes what it is told to, in its folder") {
  const int folder = open("/proc", O_PATH | O_CLOEXEC);
  int status = 0;
  CHECK(Start("/bin/pwd", folder, status) == "/proc\n");
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  close(folder);
}

TEST(KeeperExecReports, "the step that failed is reported in the keeper's place") {
  int status = 0;
  CHECK(ReportedError(Start("/no/such/keeper", -1, status)) == ENOENT);
  CHECK(WIFEXITED(status));
  const int file = open("/bin/sh", O_PATH | O_CLOEXEC);  // fchdir: no folder
  CHECK(ReportedError(Start("/bin/pwd", file, status)) == ENOTDIR);
  close(file);
}
