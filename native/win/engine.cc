#include "core/engine.h"

#include <windows.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "win/environment.h"
#include "win/os_error.h"
#include "win/program.h"
#include "win/run.h"
#include "win/service.h"
#include "win/threads.h"

namespace argv_spawn {

namespace {

// Any thread posts, one thread waits for the last event.
class WaitingSink final : public Sink {
 public:
  void Post(Event event, bool) override {
    if (!event.terminal()) return;
    std::lock_guard<std::mutex> lock(mutex_);
    last_ = std::move(event);
    arrived_.notify_one();
  }
  void Wake() override {}
  Event Wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    arrived_.wait(lock, [this] { return last_.has_value(); });
    return std::move(*last_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::optional<Event> last_;
};

}  // namespace

std::shared_ptr<RunControl> StartRun(Request request, std::shared_ptr<Sink> sink) {
  Service& service = Service::Get();
  auto run = std::make_shared<Run>(std::move(request), std::move(sink));
  if (auto failure = service.EnsureStarted()) {
    run->Fail(std::move(*failure));
  } else if (!RunOnPool([run] { run->Start(); })) {
    run->Fail(OsFailure(Stage::kSetup, "TrySubmitThreadpoolCallback", "host", "", GetLastError()));
  } else {
    run->OnStartLate();  // nobody finds out later
  }
  return run;
}

Event RunToEnd(Request request) {
  auto sink = std::make_shared<WaitingSink>();
  const std::shared_ptr<RunControl> run = StartRun(std::move(request), sink);
  return sink->Wait();
}

// The pool starts programs here; a caller that waits for one has nothing to hand over to (contract.ts: Unix).
Result<Started> StartRunHere(Request, std::shared_ptr<Sink>) {
  return OsFailure(Stage::kSetup, "CreateProcessW", "host", "", ERROR_NOT_SUPPORTED);
}

void StartResolve(ResolveQuery query, std::shared_ptr<Sink> sink) {
  const uint64_t id = query.id;
  const std::string pathext = FindInEnvironment(HostEnvironment(), "PATHEXT").value_or("");
  const bool submitted = RunOnPool([query = std::move(query), pathext, sink] {
    Result<FoundProgram> found = FindProgram({query.program, query.base, query.path, pathext, false, nullptr});
    Result<std::string> path =
        found.ok() ? Result<std::string>(std::move(found.value().path)) : std::move(found.failure());
    sink->Post(MakeAnswer(query.id, std::move(path)), true);
  });
  if (submitted) return;
  sink->Post(MakeAnswer(id, OsFailure(Stage::kSetup, "TrySubmitThreadpoolCallback", "host", "", GetLastError())), true);
}

const Features& GetFeatures() {
  static const auto* features = [] {
    auto* made = new Features();
    made->os = "win32";
    made->engine = "CreateProcessW";
    made->close_from = true;  // only the handles of the list are inherited
    made->tree = TreeStrength::kTree;
    made->parent_death = ParentDeath::kJob;
    made->upcase = UpcaseUnit;
    return made;
  }();
  return *features;
}

}  // namespace argv_spawn
