#include "unix/tee.h"

#include <cerrno>

#include "unix/os_error.h"

namespace argv_spawn {

size_t FdTeeFile::Write(const uint8_t* data, size_t size, std::string& error) {
  const ssize_t count = write(fd_.get(), data, size);
  const int number = errno;
  if (count >= 0) return static_cast<size_t>(count);
  if (number != EINTR) error = ErrnoName(number);
  return 0;
}

}  // namespace argv_spawn
