// One run on Unix: carries out what Lifecycle decides, with the descriptors and the child it owns.
//
// Life: made on the thread that asks; Start on a spawner thread; everything else on the service thread, which owns it
// from Attach to Detach. What other threads may touch is behind mutex_.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "core/engine.h"
#include "core/lifecycle.h"
#include "unix/input_pipe.h"
#include "unix/output_pipe.h"
#include "unix/process_table.h"
#include "unix/service.h"
#include "unix/spawn.h"
#include "unix/tree.h"

namespace argv_spawn {

class Run final : public RunControl,
                  public ServiceLoop::Member,
                  public std::enable_shared_from_this<Run>,
                  private OutputPipe::Reader {
 public:
  Run(Request request, std::shared_ptr<Sink> sink);

  // RunControl: any thread.
  size_t Write(Bytes chunk) override;
  void EndInput() override;
  void Credit(int stream, uint64_t bytes) override;
  void Stop(Cause cause) override;
  int Signal(int signal, bool tree) override;
  void Abandon() override;

  // Spawner thread.
  void Start();
  // Any thread, instead of Start.
  Result<Started> StartHere();
  // Any thread, while the process exits.
  void EndAtExit();
  // Any thread, instead of Start.
  void Fail(Failure failure);

  // Service thread.
  void OnReady(Source source, bool hangup);
  void OnTime(uint64_t now) override;

 private:
  enum class State { kQueued, kStarting, kRunning, kEnded };

  Result<Started> Begin(std::shared_lock<std::shared_timed_mutex> gate);
  void Attach(Launched launched);
  std::shared_ptr<TeeFile> MakeTee(UniqueFd fd);
  void WatchTree();
  void LookAtTree();
  void Perform(Action action);
  void UpdateTimer();

  void OnExit();
  void OnTreeOver();
  void OnInput(bool hangup);
  void OnOutput(OutputPipe& pipe, bool hangup);
  void OnChunk(int stream, Bytes chunk) override;
  void OnCause(Cause cause);
  void FlushInput();
  void CloseInput();
  void Drain(OutputPipe& pipe);
  void AtEnd(OutputPipe& pipe);
  void UpdateWatch(OutputPipe& pipe);
  void StopWatching(OutputPipe& pipe);
  bool AnyPipeOpen() const { return output_.is_open() || error_.is_open(); }

  // The end of a run: run_end.cc.
  void Force();
  void CheckMembers();
  void Sweep();
  void GiveUp();
  void Verify();
  void FinishWhenFlushed();
  void Finish();
  std::vector<int> OpenPipes() const;
  void RecordOutsiders(const std::vector<ProcessInfo>& members);
  void Record(const ProcessInfo& process, bool held_pipe, const char* fate, const char* why);
  void RecordEnded(const std::vector<EndedProcess>& ended);
  void ReapLeader();
  void LeaveWhenDone();

  void Send(Event event, bool wake = true);
  Event MakeEvent(Event::Kind kind) const;
  Token TokenOf(Source source) const { return ServiceLoop::MakeToken(*this, static_cast<uint64_t>(source)); }

  Request request_;
  Service& service_;
  Lifecycle lifecycle_;

  mutable std::mutex mutex_;
  std::shared_ptr<Sink> sink_;  // empty once abandoned, or the last event has been sent
  State state_ = State::kQueued;
  Cause early_cause_ = Cause::kNone;  // asked for while starting
  bool early_abandon_ = false;
  std::unique_ptr<Tree> tree_;  // from kRunning on
  bool exit_seen_ = false;
  size_t input_waiting_ = 0;

  std::string program_;
  InputPipe input_;
  std::optional<Interest> input_watch_;
  OutputPipe output_;
  OutputPipe error_;
  ExitState exit_;
  std::optional<Usage> usage_;
  double started_at_ms_ = 0;
  uint64_t started_ = 0;
  uint64_t ended_ = 0;
  bool polls_tree_ = false;  // neither a descriptor nor a thread could be had to see the exit

  enum class Ending { kNo, kVerifying, kFlushing, kReported };
  Ending ending_ = Ending::kNo;
  uint64_t ending_next_ = kNever;   // when to look again
  uint64_t ending_until_ = kNever;  // when to stop looking
  uint64_t verify_span_ = 0;
  bool released_ = false;
  bool detached_ = false;
  std::vector<Leftover> leftovers_;
};

}  // namespace argv_spawn
