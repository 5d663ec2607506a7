#include "core/engine.h"

#include <unistd.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "unix/child_process.h"
#include "unix/keeper_file.h"
#include "unix/os_error.h"
#include "unix/program.h"
#include "unix/run.h"
#include "unix/service.h"
#include "unix/sigpipe.h"
#include "unix/spawn_call.h"

#ifdef __APPLE__
#include <crt_externs.h>
#define environ (*_NSGetEnviron())
#else
extern "C" char** environ;
#endif

namespace argv_spawn {

namespace {

constexpr size_t kUsualEnvironment = 4096;  // bytes; a larger one moves while it is copied

class OwnLoop final : public RunLoop {};

// Of a run whose loop is turned by the thread that waits for it, and which it posts from.
class LastEvent final : public Sink {
 public:
  void Post(Event one, bool) override {
    if (one.terminal()) event = std::move(one);
  }
  void Wake() override {}

  std::optional<Event> event;
};

}  // namespace

std::shared_ptr<RunControl> StartRun(Request request, std::shared_ptr<Sink> sink) {
  Service& service = Service::Get();
  auto run = std::make_shared<Run>(std::move(request), std::move(sink), Service::Shared());
  if (auto failure = service.EnsureStarted()) {
    run->Fail(std::move(*failure));
  } else if (const int error = service.spawners().Submit(run)) {
    run->Fail(OsFailure(Stage::kSetup, "pthread_create", "host", "", error));
  }
  return run;
}

Result<Started> StartRunHere(Request request, std::shared_ptr<Sink> sink) {
  if (auto failure = Service::Get().EnsureStarted()) return std::move(*failure);
  return std::make_shared<Run>(std::move(request), std::move(sink), Service::Shared())->StartHere();
}

// On a loop of its own, so that no other thread has to be woken for the start, the pipes or the end.
Event RunToEnd(Request request) {
  const SigpipeBlock block;
  auto sink = std::make_shared<LastEvent>();
  auto loop = std::make_shared<OwnLoop>();
  const bool bounded = request.timeout != kNever;
  auto run = std::make_shared<Run>(std::move(request), sink, loop);
  Service& service = Service::Get();
  std::optional<Failure> failure = service.EnsureStarted();
  if (!failure) failure = loop->Open();
  if (failure) {
    run->Fail(std::move(*failure));
  } else if (!bounded) {
    run->Do();
  } else {
    // The deadline holds also while a start is stuck, so that is another thread's.
    run->BoundStart();
    const int error = service.spawners().Submit(run);
    if (error != 0) run->Fail(OsFailure(Stage::kSetup, "pthread_create", "host", "", error));
  }
  while (!sink->event) loop->Turn();
  run->LeaveToService();
  loop->Retire(service);
  return std::move(*sink->event);
}

void StartResolve(ResolveQuery query, std::shared_ptr<Sink> sink) {
  const uint64_t id = query.id;
  Service& service = Service::Get();
  const int error = service.spawners().Submit([query = std::move(query), sink] {
    ProgramQuery lookup{query.program, query.base, std::nullopt};
    if (query.path) lookup.path = *query.path;
    sink->Post(MakeAnswer(query.id, FindExistingProgram(lookup)), true);
  });
  if (error != 0) sink->Post(MakeAnswer(id, OsFailure(Stage::kSetup, "pthread_create", "host", "", error)), true);
}

std::string HostEnvironment() {
  std::string block;
  block.reserve(kUsualEnvironment);
  for (char** entry = environ; entry != nullptr && *entry != nullptr; entry++)
    block.append(*entry, std::strlen(*entry) + 1);
  return block;
}

const Features& GetFeatures() {
  static const auto* features = [] {
    auto* made = new Features();
#ifdef __APPLE__
    made->os = "darwin";
#else
    made->os = "linux";
#endif
#ifdef __GLIBC__
    made->libc = std::string("glibc ") + gnu_get_libc_version();
#endif
    made->engine = "posix_spawn";
    made->pidfd = HasPidfd();
    made->close_from = HasCloseFrom();
    const KeeperFile& keeper = GetKeeperFile();
    made->keeper = keeper.path;
    made->keeper_problem = keeper.problem;
    made->tree = keeper.problem.empty() ? TreeStrength::kTree : TreeStrength::kGroup;
    made->parent_death = keeper.problem.empty() ? ParentDeath::kKeeper : ParentDeath::kExitHook;
    return made;
  }();
  return *features;
}

}  // namespace argv_spawn
