// A run without a system: a stand-in says what the tree and the pipes do, and writes down what it is asked for.
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "check.h"
#include "core/run_base.h"

using namespace argv_spawn;

namespace {

constexpr uint64_t kMs = 1'000'000;

class Loop final : public ServiceLoop {
 private:
  void Wake() override {}
};

class Events final : public Sink {
 public:
  void Post(Event event, bool) override {
    static const char* names[] = {"failed", "cancelled", "spawned",  "data",     "end",       "drain",
                                  "closed", "exit",      "finished", "resolved", "unresolved"};
    if (!log.empty()) log += ' ';
    log += names[static_cast<int>(event.kind)];
    CHECK(event.id == 7);
    if (event.outcome) outcome = std::move(event.outcome);
  }
  void Wake() override {}
  std::string log;
  std::unique_ptr<Outcome> outcome;
};

class Run final : public RunBase {
 public:
  Run(Request request, std::shared_ptr<Sink> sink, std::shared_ptr<ServiceLoop> loop)
      : RunBase(std::move(request), std::move(sink), std::move(loop)) {}

  int Signal(int, bool) override { return 0; }
  void Start() {
    if (!BeginStart()) return;
    StampStart();
    std::lock_guard<std::mutex> lock(mutex_);
    state_ = State::kRunning;
  }
  void BeginOnly() { BeginStart(); }
  bool is_running() const { return state_ == State::kRunning; }
  using RunBase::Arrive;
  using RunBase::MoveTo;
  void SetRunning() {
    StampStart();
    std::lock_guard<std::mutex> lock(mutex_);
    state_ = State::kRunning;
  }
  void Attach() {
    Enter(42, "/bin/program");
    output_.Open(request_.output, nullptr);
    error_.Open(request_.error, nullptr);
    input_.Open();
    BeginInput();
    FinishEnter();
  }
  void EndPipe(int stream) { OnRead(stream == 1 ? output_ : error_, 0, true); }
  void Arrive(const std::string& text) {
    output_.Copy(reinterpret_cast<const uint8_t*>(text.data()), text.size());
    OnRead(output_, text.size(), false);
  }
  void Exit(uint32_t code) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      exit_seen_ = true;
    }
    exit_.known = true;
    exit_.value = code;
    OnExit();
    UpdateTimer();
  }
  void TakeInput(size_t count) {
    input_.Take(count);
    FlushInput();
  }
  void LoseReader() { OnInputHangup(); }
  void TreeEmpty() {
    others = false;
    OnTreeEmpty();
  }
  void CanLeave() {
    over = true;
    LeaveWhenDone();
  }

  std::string log;
  bool others = false;
  bool may_force = true;
  bool over = true;

 private:
  void Note(const char* word) { log += (log.empty() ? "" : " ") + std::string(word); }

  void KillTree() override { Note("kill"); }
  InputState FeedInput() override { return input_.waiting() > 0 ? InputState::kBlocked : input_.emptied(); }
  void CloseInput() override { input_.Close(); }
  void UpdateReading(OutputStream&) override {}
  bool DrainPipe(OutputStream&) override { return false; }
  void ClosePipe(OutputStream& stream) override { stream.Close(); }
  void Look(uint64_t) override {}
  uint64_t NextLook() const override { return kNever; }
  void AskToEnd() override { Note("ask"); }
  bool ForceEnd() override {
    Note("force");
    return may_force;
  }
  bool HasOthers() const override { return others; }
  void SweepTree() override {
    Note("sweep");
    released_ = lifecycle_.releases_members();
    if (others) Record({43, "other", true, released_ ? "left" : "ended", ""});
    if (others && !released_) {
      BeginVerifying();
    } else {
      BeginReport();
    }
  }
  void VerifyTree() override {
    Note("verify");
    if (others && may_verify_again(0)) {
      VerifyAgain(0);
      return;
    }
    BeginReport();
  }
  void RecordUnended() override { Record({42, "program", false, "survived", "refused"}); }
  void Describe(Outcome& outcome) override { outcome.pid = 42; }
  void OnReported() override { Note("reported"); }
  bool is_over() const override { return over; }
  void OnLeaving() override { Note("leaves"); }
};

struct Bench {
  std::shared_ptr<Loop> loop = std::make_shared<Loop>();
  std::shared_ptr<Events> events = std::make_shared<Events>();
  std::shared_ptr<Run> run;

  explicit Bench(const std::function<void(Request&)>& change = [](Request&) {}) {
    Request request;
    request.id = 7;
    request.output.kind = request.error.kind = OutputSpec::Kind::kCollect;
    request.output.head = request.error.head = 100;
    request.force_kill_after = 1000 * kMs;
    request.drain_timeout = 1000 * kMs;
    change(request);
    run = std::make_shared<Run>(std::move(request), events, loop);
  }
  void Begin() {
    run->Start();
    run->Attach();
  }
};

std::optional<size_t> Write(RunControl& run, size_t size) {
  const std::string text(size, 'x');
  return run.Write(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

}  // namespace

TEST(RunOrdinary, "an ordinary run: its events, its outcome, and nothing asked of the tree but the sweep") {
  Bench bench;
  bench.Begin();
  bench.run->EndInput();
  bench.loop->RunTasks();
  bench.run->Arrive("hello");
  bench.run->EndPipe(1);
  bench.run->EndPipe(2);
  CHECK(bench.run->log.empty());
  bench.run->Exit(3);
  CHECK(bench.run->log == "sweep reported leaves");
  CHECK(bench.events->log == "spawned exit finished");
  const Outcome& outcome = *bench.events->outcome;
  CHECK(outcome.pid == 42 && outcome.program == "/bin/program" && outcome.exit.value == 3);
  CHECK(outcome.output->bytes == 5 && outcome.error->bytes == 0 && outcome.cause == Cause::kNone);
  CHECK(outcome.leftovers.empty() && !outcome.stdin_closed_early);
  CHECK(outcome.duration_ms >= 0);
  CHECK(bench.loop->TimerSpan() == kNever);
  CHECK(bench.run.use_count() == 1);  // the loop has let go of it
}

TEST(RunStoppedBefore, "a stop before the start cancels, one during it is done once the program is there") {
  Bench before;
  before.run->Stop(Cause::kAbort);
  before.run->Start();
  before.run->Stop(Cause::kAbort);
  before.run->Fail(Failure());
  CHECK(before.events->log == "cancelled");

  Bench during;
  during.run->BeginOnly();
  during.run->Stop(Cause::kAbort);
  during.run->Stop(Cause::kStop);  // the first one counts
  during.run->SetRunning();
  during.run->Attach();
  during.loop->RunTasks();
  CHECK(during.run->log == "ask");
  for (const int stream : {1, 2}) during.run->EndPipe(stream);
  during.run->Exit(0);
  CHECK(during.events->outcome->cause == Cause::kAbort);
}

TEST(RunStartStuck, "a start that takes too long is given up, and what it starts after all is ended at once") {
  const auto limited = [](Request& request) { request.timeout = 1; };
  Bench queued(limited);
  queued.run->OnStartLate();
  queued.loop->RunTasks();
  queued.loop->FireTimers();
  CHECK(queued.events->log == "failed");
  CHECK(queued.run.use_count() == 1);
  queued.run->Start();
  CHECK(!queued.run->is_running());

  Bench cancelled(limited);
  cancelled.run->OnStartLate();
  cancelled.loop->RunTasks();
  cancelled.run->Stop(Cause::kStop);
  cancelled.loop->FireTimers();
  CHECK(cancelled.events->log == "cancelled");
  CHECK(cancelled.run.use_count() == 1);

  Bench late(limited);
  late.run->BeginOnly();
  late.run->BoundStart();
  Write(*late.run, 3);
  late.loop->FireTimers();
  CHECK(late.events->log == "failed");
  late.run->SetRunning();
  late.run->Attach();
  CHECK(late.run->log == "kill ask");
  for (const int stream : {1, 2}) late.run->EndPipe(stream);
  late.run->Exit(0);
  CHECK(late.events->log == "failed");
  CHECK(late.run.use_count() == 1);

  Bench failing(limited);
  failing.run->BeginOnly();
  failing.run->BoundStart();
  failing.loop->FireTimers();
  failing.run->Fail(Failure());
  CHECK(failing.events->log == "failed");
  CHECK(failing.run.use_count() == 1);

  // In time: the bound on the start does not touch the program.
  Bench timely(limited);
  timely.run->BeginOnly();
  timely.run->BoundStart();
  timely.run->SetRunning();
  timely.loop->FireTimers();
  CHECK(timely.events->log.empty());
  timely.run->Attach();
  CHECK(timely.events->log == "spawned" && timely.run->log.empty());

  Bench stopped;
  stopped.run->BeginOnly();
  stopped.run->Stop(Cause::kStop);
  stopped.loop->RunTasks();
  CHECK(stopped.loop->TimerSpan() > 900 * kMs && stopped.loop->TimerSpan() <= 1000 * kMs);
  while (stopped.loop->TimerSpan() != kNever) stopped.loop->FireTimers();
  CHECK(stopped.events->log == "cancelled");

  Bench patient([](Request& request) { request.force_kill_after = kNever; });
  patient.run->BeginOnly();
  patient.run->Stop(Cause::kStop);
  patient.loop->RunTasks();
  CHECK(patient.loop->TimerSpan() == kNever);
}

TEST(RunMoves, "a run goes to another loop with the tasks that were posted for it, started or not") {
  Bench bench;
  const auto other = std::make_shared<Loop>();
  bench.Begin();
  bench.run->Stop(Cause::kStop);
  bench.run->MoveTo(other);
  bench.loop->Retire(*other);
  CHECK(bench.loop->TimerSpan() == kNever);
  bench.loop->RunTasks();
  CHECK(bench.run->log.empty());
  CHECK(bench.run->Arrive() && !bench.run->Arrive());
  other->RunTasks();
  CHECK(bench.run->log == "ask" && other->TimerSpan() <= 1000 * kMs);
  for (const int stream : {1, 2}) bench.run->EndPipe(stream);
  bench.run->Exit(0);
  CHECK(bench.events->log == "spawned exit finished");
  CHECK(bench.run.use_count() == 1);

  Bench starting([](Request& request) { request.timeout = 1; });
  starting.run->BeginOnly();
  starting.run->BoundStart();
  starting.loop->FireTimers();
  starting.run->MoveTo(other);
  CHECK(!starting.run->Arrive());
  starting.run->SetRunning();
  starting.run->Attach();
  CHECK(starting.run->log == "kill ask" && other->TimerSpan() != kNever);
}

TEST(RunAskedEarly, "what is asked for before the service thread has the run is done then, in the order of the calls") {
  Bench bench([](Request& request) { request.input.kind = StdinSpec::Kind::kStream; });
  bench.run->BeginOnly();
  CHECK(Write(*bench.run, 3) == 3);
  bench.run->SetRunning();
  CHECK(Write(*bench.run, 4) == 7);
  bench.run->EndInput();
  bench.run->Stop(Cause::kStop);
  bench.loop->RunTasks();
  CHECK(bench.run->log.empty());
  CHECK(bench.loop->TimerSpan() == kNever);
  bench.run->Attach();
  bench.loop->RunTasks();
  CHECK(bench.run->log == "ask");
  CHECK(Write(*bench.run, 5) == 12);
  bench.loop->RunTasks();
  bench.run->TakeInput(3);
  bench.run->TakeInput(4);
  for (const int stream : {1, 2}) bench.run->EndPipe(stream);
  bench.run->Exit(0);
  CHECK(bench.events->outcome->cause == Cause::kStop && bench.events->outcome->stdin_bytes == 7);
  CHECK(bench.run.use_count() == 1);

  Bench abandoned;
  abandoned.run->BeginOnly();
  abandoned.run->SetRunning();
  abandoned.run->Abandon();
  CHECK(abandoned.run->log == "kill");
  abandoned.loop->RunTasks();
  abandoned.run->Attach();
  CHECK(abandoned.run->log == "kill ask");

  Bench failed;
  failed.run->BeginOnly();
  Write(*failed.run, 3);
  failed.run->Fail(Failure());
  failed.run->Credit(1, 100);
  failed.loop->RunTasks();
  CHECK(failed.events->log == "failed");
  CHECK(failed.run.use_count() == 1);
}

TEST(RunAbandoned, "nothing is told of an abandoned run, and its tree is ended at once, unless it outlives the host") {
  Bench bench;
  bench.Begin();
  bench.run->Abandon();
  CHECK(bench.run->log == "kill");
  bench.loop->RunTasks();
  CHECK(bench.run->log == "kill ask");
  for (const int stream : {1, 2}) bench.run->EndPipe(stream);
  bench.run->Exit(0);
  CHECK(bench.events->log == "spawned");

  Bench during;
  during.run->BeginOnly();
  during.run->Abandon();
  during.run->SetRunning();
  during.run->Attach();
  CHECK(during.run->log == "kill");
  CHECK(during.events->log.empty());

  Bench left([](Request& request) { request.outlives_host = true; });
  left.Begin();
  left.run->Abandon();
  left.loop->RunTasks();
  CHECK(left.run->log.empty());
}

TEST(RunFails, "a failure is told once, and not after a stop") {
  Bench bench;
  bench.run->BeginOnly();
  bench.run->Fail(Failure());
  bench.run->Fail(Failure());
  CHECK(bench.events->log == "failed");
}

TEST(RunIsForced, "a tree that may not be ended is reported at once, and watched on until it ends") {
  Bench bench([](Request& request) { request.force_kill_after = 0; });
  bench.run->may_force = false;
  bench.run->over = false;
  bench.Begin();
  bench.run->Stop(Cause::kStop);
  bench.loop->RunTasks();
  CHECK(bench.run->log == "force reported");
  CHECK(bench.events->log == "spawned finished");
  const Outcome& outcome = *bench.events->outcome;
  CHECK(outcome.leftovers.size() == 1 && std::string(outcome.leftovers[0].fate) == "survived");
  CHECK(outcome.forced && !outcome.exit.known);
  bench.run->over = true;
  bench.run->Exit(0);
  CHECK(bench.run->log == "force reported leaves");
}

TEST(RunVerifies, "what is left is waited for after the sweep, and is in the report") {
  Bench bench;
  bench.Begin();
  for (const int stream : {1, 2}) bench.run->EndPipe(stream);
  bench.run->others = true;
  bench.run->Exit(0);
  CHECK(bench.run->log == "sweep");
  CHECK(bench.loop->TimerSpan() < 1000 * kMs);
  bench.run->TreeEmpty();
  CHECK(bench.run->log == "sweep verify reported leaves");
  const Outcome& outcome = *bench.events->outcome;
  CHECK(outcome.leftovers.size() == 1 && outcome.leftovers[0].name == "other" && outcome.leftovers[0].held_pipe);
}

TEST(RunReleases, "a released tree is read on, for nobody, until it closes the last pipe") {
  Bench bench([](Request& request) {
    request.lingering = Lingering::kLeave;
    request.drain_timeout = 0;
    request.output.kind = OutputSpec::Kind::kStream;
  });
  bench.Begin();
  bench.run->others = true;
  bench.run->Exit(0);
  CHECK(bench.events->log == "spawned exit end finished");
  CHECK(bench.run->log == "sweep reported");
  bench.run->Arrive("for nobody");
  bench.run->EndPipe(1);
  CHECK(bench.run->log == "sweep reported");
  bench.run->EndPipe(2);
  CHECK(bench.run->log == "sweep reported leaves");
  CHECK(bench.events->log == "spawned exit end finished");
}

TEST(RunDrainsInput, "a writer is told how much waits, and once when nothing does") {
  Bench bench;
  bench.Begin();
  CHECK(Write(*bench.run, 5) == 5);
  CHECK(Write(*bench.run, 6) == 11);
  bench.loop->RunTasks();
  bench.run->TakeInput(5);
  CHECK(bench.events->log == "spawned");
  bench.run->TakeInput(6);
  CHECK(bench.events->log == "spawned drain");
  CHECK(Write(*bench.run, 0) == 0);
  bench.loop->RunTasks();
  CHECK(bench.events->log == "spawned drain");
  Write(*bench.run, 3);
  bench.loop->RunTasks();
  bench.run->LoseReader();
  CHECK(bench.events->log == "spawned drain closed");
  for (const int stream : {1, 2}) bench.run->EndPipe(stream);
  bench.run->Exit(0);
  CHECK(bench.events->outcome->stdin_closed_early && bench.events->outcome->stdin_bytes == 11);
  CHECK(Write(*bench.run, 1) == 0);
}

TEST(RunOverLimit, "output above the limit ends the run") {
  Bench bench([](Request& request) { request.output.kill_above = 4; });
  bench.Begin();
  bench.run->Arrive("1234");
  CHECK(bench.run->log.empty());
  bench.run->Arrive("5");
  CHECK(bench.run->log == "ask");
}

TEST(RunLeavesLater, "a run that is reported stays with the loop until its system's part is over") {
  Bench bench;
  bench.run->over = false;
  bench.Begin();
  for (const int stream : {1, 2}) bench.run->EndPipe(stream);
  bench.run->Exit(0);
  CHECK(bench.events->log == "spawned exit finished" && bench.run->log == "sweep reported");
  bench.run->CanLeave();
  CHECK(bench.run->log == "sweep reported leaves");
}
