#include "unix/descriptors.h"

#include <dirent.h>
#include <fcntl.h>

#include <cerrno>
#include <cstdlib>

#include "unix/limits.h"
#include "unix/os_error.h"

namespace argv_spawn {

namespace {

const char* SubjectOf(int stream) {
  switch (stream) {
    case 0:
      return "stdin";
    case 1:
      return "stdout";
    case 2:
      return "stderr";
    case kNoStream:
      return "cwd";
    default:
      return "host";
  }
}

Failure DescriptorFailure(const char* call, int stream, int error) {
  Failure failure = OsFailure(Stage::kSetup, call, SubjectOf(stream), "", error);
  failure.detail = DescribeResourceLimits();
  return failure;
}

// False with errno set.
bool CreatePipe(int ends[2]) {
#ifdef __linux__
  return pipe2(ends, O_CLOEXEC) == 0;
#else
  // No pipe2: a child started by another library in between inherits the ends. Ours do not
  // (POSIX_SPAWN_CLOEXEC_DEFAULT).
  if (pipe(ends) != 0) return false;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  return true;
#endif
}

}  // namespace

Result<UniqueFd> MoveAboveStdio(UniqueFd fd, int stream) {
  if (fd.get() >= kFirstFree) return fd;
  const int moved = fcntl(fd.get(), F_DUPFD_CLOEXEC, kFirstFree);
  if (moved < 0) return DescriptorFailure("fcntl", stream, errno);
  return UniqueFd(moved);
}

Result<PipeEnds> OpenPipe(int stream) {
  int raw[2];
  if (!CreatePipe(raw)) return DescriptorFailure("pipe2", stream, errno);
  PipeEnds ends{UniqueFd(raw[0]), UniqueFd(raw[1])};
  for (UniqueFd* end : {&ends.read, &ends.write}) {
    Result<UniqueFd> moved = MoveAboveStdio(std::move(*end), stream);
    if (!moved.ok()) return std::move(moved.failure());
    *end = std::move(moved.value());
  }
  // The two ends of a pipe are separate open files, so this does not reach the child.
  const bool ours_writes = stream == 0 || stream == kKeeperCommands;
  const int ours = ours_writes ? ends.write.get() : ends.read.get();
  // F_SETFL leaves the access mode alone, and a new pipe has no other flag.
  if (fcntl(ours, F_SETFL, O_NONBLOCK) != 0) return DescriptorFailure("fcntl", stream, errno);
  return ends;
}

void EnlargePipe([[maybe_unused]] int fd) {
#ifdef F_SETPIPE_SZ
  constexpr int kSize = 1024 * 1024;
  fcntl(fd, F_SETPIPE_SZ, kSize);
#endif
}

std::vector<int> OpenDescriptors() {
  std::vector<int> open;
#ifdef __linux__
  DIR* folder = opendir("/proc/self/fd");
#else
  DIR* folder = opendir("/dev/fd");
#endif
  if (folder == nullptr) return open;
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] == '.') continue;
    const int fd = std::atoi(entry->d_name);
    if (fd != dirfd(folder)) open.push_back(fd);
  }
  closedir(folder);
  return open;
}

}  // namespace argv_spawn
