#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "unix/os_error.h"
#include "unix/reactor.h"

namespace argv_spawn {

namespace {

constexpr Token kWakeToken = UINT64_MAX;
constexpr size_t kBatch = 64;

uint32_t EventsFor(Interest interest) {
  switch (interest) {
    case Interest::kRead:
      return EPOLLIN;
    case Interest::kWrite:
      return EPOLLOUT;
    case Interest::kHangup:
      return 0;  // EPOLLHUP and EPOLLERR are always reported
  }
  return 0;
}

}  // namespace

std::optional<Failure> Reactor::Open() {
  UniqueFd queue(epoll_create1(EPOLL_CLOEXEC));
  if (!queue) return OsFailure(Stage::kSetup, "epoll_create1", "host", "", errno);
  UniqueFd wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake) return OsFailure(Stage::kSetup, "eventfd", "host", "", errno);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = kWakeToken;
  if (epoll_ctl(queue.get(), EPOLL_CTL_ADD, wake.get(), &event) != 0) {
    return OsFailure(Stage::kSetup, "epoll_ctl", "host", "", errno);
  }
  wake_read_ = std::move(wake);
  queue_ = std::move(queue);
  return std::nullopt;
}

int Reactor::Watch(int fd, Interest interest, Token token, bool already_watched) {
  epoll_event event{};
  event.events = EventsFor(interest);
  event.data.u64 = token;
  const int operation = already_watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
  return epoll_ctl(queue_.get(), operation, fd, &event) == 0 ? 0 : errno;
}

void Reactor::Unwatch(int fd) { epoll_ctl(queue_.get(), EPOLL_CTL_DEL, fd, nullptr); }

int Reactor::WatchExit(int, int exit_fd, Token token) {
  if (exit_fd < 0) return ENOSYS;
  return Watch(exit_fd, Interest::kRead, token, false);
}

void Reactor::UnwatchExit(int, int exit_fd) {
  if (exit_fd >= 0) Unwatch(exit_fd);
}

void Reactor::Wait(uint64_t timeout_ns, std::vector<Ready>& ready) {
  ready.clear();
  std::array<epoll_event, kBatch> events;
  int timeout = -1;
  if (timeout_ns != UINT64_MAX) {
    // Rounded up: waking before the deadline would spin until it.
    const uint64_t milliseconds = timeout_ns / 1'000'000 + (timeout_ns % 1'000'000 != 0 ? 1 : 0);
    timeout = static_cast<int>(std::min<uint64_t>(milliseconds, 1'000'000'000));
  }
  const int count = epoll_wait(queue_.get(), events.data(), static_cast<int>(events.size()), timeout);
  for (int i = 0; i < count; i++) {
    const epoll_event& event = events[static_cast<size_t>(i)];
    if (event.data.u64 == kWakeToken) {
      uint64_t number;
      [[maybe_unused]] const ssize_t size = read(wake_read_.get(), &number, sizeof number);
      continue;
    }
    ready.push_back({event.data.u64, (event.events & (EPOLLHUP | EPOLLERR)) != 0});
  }
}

void Reactor::Wake() {
  const uint64_t one = 1;
  // A full counter means a wake-up is already pending.
  [[maybe_unused]] const ssize_t size = write(wake_read_.get(), &one, sizeof one);
}

}  // namespace argv_spawn
