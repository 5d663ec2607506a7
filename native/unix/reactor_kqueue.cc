// kqueue(2). Compiled for macOS; not run by anyone yet.
#include <fcntl.h>
#include <sys/event.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "unix/os_error.h"
#include "unix/reactor.h"

namespace argv_spawn {

namespace {

constexpr uintptr_t kWakeIdent = 0;
constexpr int kBatch = 64;

using Change = struct kevent;

Change MakeChange(uintptr_t ident, int16_t filter, uint16_t flags, uint32_t fflags, Token token) {
  Change change{};
  EV_SET(&change, ident, filter, flags, fflags, 0, reinterpret_cast<void*>(token));
  return change;
}

int Apply(int queue, const Change& change) {
  int result;
  do {
    result = kevent(queue, &change, 1, nullptr, 0, nullptr);
  } while (result != 0 && errno == EINTR);
  return result == 0 ? 0 : errno;
}

// Which end of a pipe this is; an end has one filter only, so a later Watch replaces an earlier one.
int16_t FilterOf(int fd) {
  const int flags = fcntl(fd, F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) == O_WRONLY ? EVFILT_WRITE : EVFILT_READ;
}

}  // namespace

std::optional<Failure> Reactor::Open() {
  UniqueFd queue(kqueue());
  if (!queue) return OsFailure(Stage::kSetup, "kqueue", "host", "", errno);
  fcntl(queue.get(), F_SETFD, FD_CLOEXEC);
  if (const int error = Apply(queue.get(), MakeChange(kWakeIdent, EVFILT_USER, EV_ADD | EV_CLEAR, 0, 0))) {
    return OsFailure(Stage::kSetup, "kevent", "host", "", error);
  }
  queue_ = std::move(queue);
  return std::nullopt;
}

int Reactor::Watch(int fd, Interest interest, Token token, bool) {
  // A hangup alone: edge-triggered, so that data or room that nobody wants does not come up again and again.
  const uint16_t edge = interest == Interest::kHangup ? EV_CLEAR : 0;
  // An existing knote keeps its EV_CLEAR when it is added again (bsd/kern/kern_event.c), so it is made anew.
  Unwatch(fd);
  return Apply(queue_.get(), MakeChange(static_cast<uintptr_t>(fd), FilterOf(fd), EV_ADD | edge, 0, token));
}

void Reactor::Unwatch(int fd) {
  // ENOENT when it was not watched.
  Apply(queue_.get(), MakeChange(static_cast<uintptr_t>(fd), FilterOf(fd), EV_DELETE, 0, 0));
}

int Reactor::WatchExit(int pid, int, Token token) {
  // ESRCH: a zombie already.
  const auto ident = static_cast<uintptr_t>(pid);
  return Apply(queue_.get(), MakeChange(ident, EVFILT_PROC, EV_ADD | EV_ONESHOT, NOTE_EXIT, token));
}

void Reactor::UnwatchExit(int pid, int) {
  Apply(queue_.get(), MakeChange(static_cast<uintptr_t>(pid), EVFILT_PROC, EV_DELETE, 0, 0));
}

void Reactor::Wait(uint64_t timeout_ns, std::vector<Ready>& ready) {
  ready.clear();
  std::array<Change, kBatch> events;
  timespec timeout{};
  timeout.tv_sec = static_cast<time_t>(timeout_ns / 1'000'000'000);
  timeout.tv_nsec = static_cast<long>(timeout_ns % 1'000'000'000);
  const timespec* limit = timeout_ns == UINT64_MAX ? nullptr : &timeout;
  const int count = kevent(queue_.get(), nullptr, 0, events.data(), kBatch, limit);
  for (int i = 0; i < count; i++) {
    const Change& event = events[static_cast<size_t>(i)];
    if (event.filter == EVFILT_USER) continue;
    const bool hangup = (event.flags & EV_EOF) != 0 && event.filter != EVFILT_PROC;
    ready.push_back({reinterpret_cast<Token>(event.udata), hangup});
  }
}

void Reactor::Wake() { Apply(queue_.get(), MakeChange(kWakeIdent, EVFILT_USER, 0, NOTE_TRIGGER, 0)); }

}  // namespace argv_spawn
