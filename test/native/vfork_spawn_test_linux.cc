// The way to start a program where posix_spawn cannot enter a folder (glibc 2.28): no C library of today takes it by
// itself.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include "check.h"
#include "unix/spawn_call.h"
#include "unix/vfork_exec.h"

using namespace argv_spawn;

namespace {

struct Answer {
  int error = 0;
  std::string output;
  int status = 0;  // of the child, where there was one
};

// ThreadSanitizer makes vfork a fork. As under qemu-user the child's error then stays in the child.
#ifdef __SANITIZE_THREAD__
constexpr bool kSharesMemory = false;
#else
constexpr bool kSharesMemory = true;
#endif

// Calls `start` as a spawner thread does, with every signal blocked, and reads what the shell prints.
template <typename Start>
Answer RunShell(Start start, const char* script) {
  Answer answer;
  int ends[2];
  CHECK(pipe2(ends, O_CLOEXEC) == 0);
  const int above = fcntl(ends[1], F_DUPFD_CLOEXEC, 10);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  const int input = fcntl(null, F_DUPFD_CLOEXEC, 10);
  SpawnCall call;
  call.path = "/bin/sh";
  call.fds = {input, above, above};
  call.cwd = open("/proc", O_PATH | O_CLOEXEC);
  std::string words[] = {"sh", "-c", script};
  std::vector<char*> argv = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  sigset_t every;
  sigset_t before;
  sigfillset(&every);
  pthread_sigmask(SIG_SETMASK, &every, &before);
  pid_t pid = 0;
  answer.error = start(pid, call, argv, std::vector<char*>{nullptr});
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  for (const int fd : {ends[1], above, null, input, call.cwd}) close(fd);
  char buffer[4096];
  for (ssize_t count = 1; answer.error == 0 && count > 0;) {
    count = read(ends[0], buffer, sizeof buffer);
    if (count > 0) answer.output.append(buffer, static_cast<size_t>(count));
  }
  close(ends[0]);
  if (answer.error == 0) CHECK(waitpid(pid, &answer.status, 0) == pid);
  return answer;
}

}  // namespace

TEST(VforkSpawnIsLikeSpawn, "vfork enters the folder, resets signals and closes descriptors, as posix_spawn does") {
  signal(SIGUSR1, SIG_IGN);
  const int left_open = fcntl(0, F_DUPFD, 40);  // not close-on-exec
  CHECK(left_open >= 40);
  const char* script = "pwd; grep -E '^Sig(Blk|Ign):' self/status; ls self/fd | head -3; ls self/fd | grep -c 40";
  const Answer ours = RunShell(VforkSpawn, script);
  const Answer posix = RunShell(SpawnOnce, script);
  close(left_open);
  signal(SIGUSR1, SIG_DFL);
  CHECK(ours.error == 0);
  CHECK(ours.output == posix.output);
  CHECK(ours.output.find("/proc\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n0\n1\n2\n0\n") == 0);
}

TEST(VforkSpawnReportsErrors, "vfork answers exec's error, and leaves no child") {
  const auto start = [](pid_t& pid, SpawnCall call, const std::vector<char*>& argv, const std::vector<char*>& env) {
    call.path = "/no/such/program";
    return VforkSpawn(pid, call, argv, env);
  };
  const Answer answer = RunShell(start, "");
  if (kSharesMemory) {
    CHECK(answer.error == ENOENT);
  } else {
    CHECK(answer.error == 0 && WIFEXITED(answer.status) && WEXITSTATUS(answer.status) == kNoExec);
  }
  CHECK(waitpid(-1, nullptr, WNOHANG) == -1);
}
