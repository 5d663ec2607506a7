// The engine without Node: real programs, from several threads at once. This is what the sanitizers watch.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "check.h"
#include "core/engine.h"

using namespace argv_spawn;

namespace {

class LastEvent final : public Sink {
 public:
  void Post(Event event, bool) override {
    std::lock_guard<std::mutex> lock(mutex_);
    if (event.kind == Event::Kind::kData)
      data_ += std::string(reinterpret_cast<char*>(event.chunk.data()), event.chunk.size());
    if (!event.terminal()) return;
    last_ = std::move(event);
    arrived_.notify_all();
  }
  void Wake() override {}
  Event Wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    arrived_.wait(lock, [this] { return last_.id != 0; });
    return std::move(last_);
  }
  std::string data() {
    std::lock_guard<std::mutex> lock(mutex_);
    return data_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  Event last_;
  std::string data_;
};

constexpr uint64_t kMs = 1'000'000;

Request Shell(const std::string& text) {
  Request request;
  request.id = 7;
  request.program = "/bin/sh";
  request.argv = std::string("sh\0-c\0", 6) + text + '\0';
  request.env = std::string("PATH=/usr/bin:/bin\0", 19);
  request.output.kind = OutputSpec::Kind::kCollect;
  request.output.head = 1 << 20;
  request.error = request.output;
  request.force_kill_after = 100 * kMs;
  request.drain_timeout = 100 * kMs;
  return request;
}

Event RunInBackground(Request request) {
  auto sink = std::make_shared<LastEvent>();
  const auto run = StartRun(std::move(request), sink);
  return sink->Wait();
}

// On the service thread, and on the thread that waits.
using Way = Event (*)(Request);
constexpr Way kWays[] = {RunInBackground, RunToEnd};

std::string Output(Event& event) {
  Bytes& head = event.outcome->output->head;
  return std::string(reinterpret_cast<char*>(head.data()), head.size());
}

}  // namespace

TEST(RunsPrograms, "a program runs and its output is collected") {
  for (const Way run : kWays) {
    Event event = run(Shell("echo hello; exit 3"));
    CHECK(event.kind == Event::Kind::kFinished);
    CHECK(event.outcome->exit.known && event.outcome->exit.value == 3);
    CHECK(Output(event) == "hello\n");
  }
}

TEST(MissingProgram, "a missing program is a failure that names it") {
  for (const Way run : kWays) {
    Request request = Shell("");
    request.program = "/no/such/program";
    Event event = run(std::move(request));
    CHECK(event.kind == Event::Kind::kFailed);
    CHECK(event.failure->code == "ENOENT");
    CHECK(event.failure->path == "/no/such/program");
  }
}

TEST(ManyThreads, "many runs of every kind from several threads end as they should") {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; t++) {
    threads.emplace_back([t] {
      const Way run = kWays[t % 2];
      for (int i = 0; i < 12; i++) {
        switch ((i + t) % 4) {
          case 0: {
            Request request = Shell("cat");
            request.input.kind = StdinSpec::Kind::kData;
            const std::string text(300'000, 'x');
            request.input.data.Append(reinterpret_cast<const uint8_t*>(text.data()), text.size());
            Event event = run(std::move(request));
            CHECK(Output(event) == text);
            break;
          }
          case 1: {
            Request request = Shell("trap '' TERM; sleep 30 & sleep 30");
            request.timeout = 50 * kMs;
            Event event = run(std::move(request));
            CHECK(event.outcome->cause == Cause::kTimeout && event.outcome->forced);
            break;
          }
          case 2: {
            Event event = run(Shell("sleep 30 & echo done"));
            CHECK(Output(event) == "done\n");
            CHECK(event.outcome->leftovers.size() == 1);
            break;
          }
          case 3: {
            Request request = Shell("exit 0");
            request.cwd = "/no/such/folder";
            Event event = run(std::move(request));
            CHECK(event.failure->stage == Stage::kCwd);
            break;
          }
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

size_t CountDescriptors() {
  const std::filesystem::directory_iterator folder("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(folder), end(folder)));
}

TEST(LeavesToService, "what a blocking call leaves running is read on, and what it held is let go at its end") {
  const std::string file = "/tmp/argv-spawn-left-" + std::to_string(getpid());
  const size_t before = CountDescriptors();
  Request request = Shell("(sleep 0.3; head -c 1000000 /dev/zero && echo whole > " + file + ") & echo started");
  request.lingering = Lingering::kLeave;
  Event event = RunToEnd(std::move(request));
  CHECK(Output(event) == "started\n");
  CHECK(!event.outcome->leftovers.empty());
  for (const Leftover& one : event.outcome->leftovers) CHECK(one.fate == std::string("left"));
  // More than a pipe holds: it is written whole only if somebody reads, and not into a broken pipe.
  while (!std::filesystem::exists(file)) std::this_thread::yield();
  while (CountDescriptors() > before) std::this_thread::yield();
  std::filesystem::remove(file);
}

TEST(StuckStart, "a start that is stuck costs the run its timeout, and others nothing") {
  const std::string pipe = "/tmp/argv-spawn-stuck-" + std::to_string(getpid());
  mkfifo(pipe.c_str(), 0600);
  const size_t before = CountDescriptors();
  for (const Way run : kWays) {
    for (int i = 0; i < 3; i++) {
      Request request = Shell("cat");
      request.input.kind = StdinSpec::Kind::kFile;
      request.input.path = pipe;
      request.timeout = 20 * kMs;
      Event event = run(std::move(request));
      CHECK(event.kind == Event::Kind::kFailed && event.failure->code == "ETIMEDOUT");
    }
    Event other = run(Shell("echo other"));
    CHECK(Output(other) == "other\n");
  }
  close(open(pipe.c_str(), O_RDWR | O_CLOEXEC));
  while (CountDescriptors() > before) std::this_thread::yield();
  unlink(pipe.c_str());
}

TEST(SigpipeStaysAway, "a child that closes its stdin raises no SIGPIPE on the thread of a blocking call") {
  struct sigaction before {};
  struct sigaction deadly {};
  deadly.sa_handler = [](int) { std::_Exit(70); };
  sigaction(SIGPIPE, &deadly, &before);
  Request request = Shell("exec 0<&-; echo closed");
  request.input.kind = StdinSpec::Kind::kData;
  const std::string text(1'000'000, 'x');
  request.input.data.Append(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  Event event = RunToEnd(std::move(request));
  CHECK(Output(event) == "closed\n" && event.outcome->stdin_closed_early);
  sigset_t pending;
  sigpending(&pending);
  CHECK(sigismember(&pending, SIGPIPE) == 0);
  sigaction(SIGPIPE, &before, nullptr);
}

TEST(StreamsByCredit, "streamed output comes no further than credit allows, and all of it in the end") {
  Request request = Shell("head -c 200000 /dev/zero");
  request.output = OutputSpec();
  request.output.kind = OutputSpec::Kind::kStream;
  auto sink = std::make_shared<LastEvent>();
  const auto run = StartRun(std::move(request), sink);
  run->Credit(1, 10);
  while (sink->data().size() < 10) std::this_thread::yield();
  CHECK(sink->data().size() == 10);
  run->Credit(1, UINT64_MAX);
  sink->Wait();
  CHECK(sink->data().size() == 200000);
}

TEST(ControlIsSafe, "every control call is valid before, during and after a run") {
  auto sink = std::make_shared<LastEvent>();
  Request request = Shell("cat");
  request.input.kind = StdinSpec::Kind::kStream;
  const auto run = StartRun(std::move(request), sink);
  const std::string text = "early";
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  run->Write(bytes, text.size());
  run->EndInput();
  Event event = sink->Wait();
  CHECK(Output(event) == "early");
  CHECK(run->Signal(15, false) < 0);
  CHECK(run->Signal(15, true) < 0);
  CHECK(run->Write(bytes, text.size()) == 0);
  run->EndInput();
  run->Credit(1, 1);
  run->Stop(Cause::kStop);
  run->Abandon();
}

TEST(StopBeforeStart, "a run that is stopped at once ends, started or not") {
  for (int i = 0; i < 20; i++) {
    auto sink = std::make_shared<LastEvent>();
    const auto run = StartRun(Shell("sleep 30"), sink);
    run->Stop(Cause::kAbort);
    const Event event = sink->Wait();
    CHECK(event.kind == Event::Kind::kCancelled || event.outcome->cause == Cause::kAbort);
  }
}
