// Watches every pipe, exit and deadline of its runs, on the one thread that turns it: the service thread for all runs
// that nobody waits for (service.h), or the thread of a blocking call for its own run (engine.cc).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/failure.h"
#include "core/service_loop.h"
#include "unix/lazy_buffer.h"
#include "unix/reactor.h"

namespace argv_spawn {

// Which descriptor of a run a token stands for.
enum class Source : uint64_t { kTree = 0, kStdin = 1, kStdout = 2, kStderr = 3 };

class RunLoop : public ServiceLoop {
 public:
  RunLoop(const RunLoop&) = delete;
  RunLoop& operator=(const RunLoop&) = delete;

  // Before anything else. Fails when the process is out of descriptors.
  std::optional<Failure> Open();
  bool is_open() const { return reactor_.is_open(); }

  // The rest: the thread that turns it.
  // Waits until something happens, at most `span` nanoseconds, and deals with it. The only place where it may block.
  void Turn(uint64_t span = kNever);
  Reactor& reactor() { return reactor_; }
  // For its runs, one at a time: what is read and not kept, and what is about to be written (InputPipe::Flush).
  LazyBuffer& scratch() { return scratch_; }
  LazyBuffer& bounce() { return bounce_; }

 protected:
  RunLoop() = default;
  ~RunLoop() = default;

 private:
  void Wake() override { reactor_.Wake(); }
  void Dispatch(const Ready& ready);

  Reactor reactor_;
  LazyBuffer scratch_{64 * 1024};
  LazyBuffer bounce_{256 * 1024};
  std::vector<Ready> ready_;
};

}  // namespace argv_spawn
