// The only owner of descriptors.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace argv_spawn {

// Closing never changes errno, so a clean-up path cannot replace the error that caused it.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) Reset(std::exchange(other.fd_, -1));
    return *this;
  }
  UniqueFd(const UniqueFd&) = delete;
  UniqueFd& operator=(const UniqueFd&) = delete;
  ~UniqueFd() { Reset(); }

  int get() const { return fd_; }
  int Release() { return std::exchange(fd_, -1); }
  explicit operator bool() const { return fd_ >= 0; }
  void Reset(int fd = -1) {
    const int saved = errno;
    if (fd_ >= 0) ::close(fd_);  // not retried on EINTR: Linux has already freed the number
    errno = saved;
    fd_ = fd;
  }

 private:
  int fd_ = -1;
};

}  // namespace argv_spawn
