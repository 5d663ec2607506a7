#include <fcntl.h>

#include "unix/fd.h"
#include "unix/pipe_skip.h"

namespace argv_spawn {

namespace {

// Never closed: the process has one.
int NullDevice() {
  static auto* fd = new UniqueFd(open("/dev/null", O_WRONLY | O_CLOEXEC));
  return fd->get();
}

}  // namespace

// The null device drops the pipe's pages as they are, so nothing is copied (splice(2)).
size_t SkipInPipe(int fd, size_t most) {
  const ssize_t count = splice(fd, nullptr, NullDevice(), nullptr, most, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
  return count > 0 ? static_cast<size_t>(count) : 0;
}

}  // namespace argv_spawn
