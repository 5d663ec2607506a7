#include "unix/output_pipe.h"

#include <sys/ioctl.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "core/clock.h"
#include "unix/descriptors.h"
#include "unix/pipe_skip.h"

namespace argv_spawn {

namespace {

constexpr size_t kTurn = 1024 * 1024;  // bytes read from one pipe before the others get their turn
// A busy pipe rests when a turn brought less than this, and the turn before was shorter ago than the rest.
constexpr size_t kLittle = 16 * 1024;
constexpr uint64_t kRest = 1'000'000;  // nanoseconds; the reactor's clock is no finer
// Less is read as fast as it is skipped.
constexpr size_t kSmallestSkip = 64 * 1024;

}  // namespace

void OutputPipe::Open(UniqueFd fd, const OutputSpec& spec, std::shared_ptr<TeeFile> tee) {
  if (!fd) return;
  fd_ = std::move(fd);
  stream_.Open(spec, std::move(tee));
}

void OutputPipe::RestIfTrickling(size_t bytes) {
  if (total_ < kBusyPipe || bytes >= kLittle) return;
  const uint64_t now = NowNs();
  if (now - last_read_ < kRest) rests_until_ = now + kRest;
  last_read_ = now;
}

void OutputPipe::EndRest(uint64_t now) {
  if (rests_until_ <= now) rests_until_ = kNever;
}

void OutputPipe::GrowPipe() {
  if (grown_ || total_ < kBusyPipe) return;
  grown_ = true;
  EnlargePipe(fd_.get());
}

size_t OutputPipe::SkipOnce(size_t limit) {
  if (!stream_.may_skip()) return 0;
  int pending = 0;
  if (ioctl(fd_.get(), FIONREAD, &pending) != 0 || pending <= 0) return 0;
  const uint64_t useless = stream_.Skippable(static_cast<uint64_t>(pending));
  if (useless < kSmallestSkip) return 0;
  const size_t count = SkipInPipe(fd_.get(), static_cast<size_t>(std::min<uint64_t>(useless, limit)));
  total_ += count;
  stream_.Skip(count);
  return count;
}

ssize_t OutputPipe::ReadOnce(LazyBuffer& scratch, size_t limit, size_t& asked) {
  const Collector::Space space = stream_.Next({scratch.data(), scratch.size()});
  asked = std::min(space.size, limit);
  ssize_t count;
  int error;
  do {
    count = read(fd_.get(), space.data, asked);
    error = errno;
  } while (count < 0 && error == EINTR);
  if (count < 0) return error == EAGAIN ? -1 : 0;  // no other error is known for a pipe; it would be its end
  if (count == 0) return 0;
  total_ += static_cast<size_t>(count);
  stream_.Take(space, static_cast<size_t>(count));
  return count;
}

OutputPipe::Progress OutputPipe::Read(LazyBuffer& scratch, bool hangup) {
  Progress progress;
  size_t turn = kTurn;
  while (turn > 0 && wants_to_read()) {
    if (const size_t skipped = SkipOnce(turn)) {
      progress.bytes += skipped;
      turn -= skipped;
      continue;
    }
    size_t asked = 0;
    const ssize_t count = ReadOnce(scratch, stream_.Allowed(turn), asked);
    if (count < 0) break;
    if (count == 0) {
      progress.at_end = true;
      break;
    }
    progress.bytes += static_cast<size_t>(count);
    turn -= static_cast<size_t>(count);
    if (static_cast<size_t>(count) < asked) {
      // A short read emptied the pipe; with no writer left that was the end (saves the read that says so).
      progress.at_end = hangup;
      break;
    }
  }
  if (!progress.at_end) {
    GrowPipe();
    RestIfTrickling(progress.bytes);
  }
  return progress;
}

OutputPipe::Progress OutputPipe::Drain(LazyBuffer& scratch) {
  Progress progress;
  if (!fd_) return progress;
  int pending = 0;
  if (ioctl(fd_.get(), FIONREAD, &pending) != 0) pending = 0;
  // Descendants may go on writing: read what was there, then once more to see whether the end has come.
  int64_t left = pending;
  for (;;) {
    size_t asked = 0;
    const ssize_t count = ReadOnce(scratch, left > 0 ? static_cast<size_t>(left) : scratch.size(), asked);
    if (count < 0) break;
    if (count == 0) {
      progress.at_end = true;
      break;
    }
    progress.bytes += static_cast<size_t>(count);
    if (left <= 0) break;
    left -= count;
  }
  return progress;
}

void OutputPipe::Close() {
  fd_.Reset();
  stream_.Close();
  rests_until_ = kNever;
}

}  // namespace argv_spawn
