// One run on Windows: carries out what Lifecycle decides, with the handles it owns.
//
// Life: made on the thread that asks; Start on a pool thread; everything else on the service thread, which owns it from
// Attach to Detach. What other threads may touch is behind mutex_.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/engine.h"
#include "core/lifecycle.h"
#include "win/input_pipe.h"
#include "win/job.h"
#include "win/output_pipe.h"
#include "win/service.h"
#include "win/spawn.h"

namespace argv_spawn {

// The numbers that Node gives them on Windows, too.
constexpr int kInterrupt = 2;
constexpr int kKill = 9;

// Exit code of what we end ourselves, so that it can be told from an exit of its own: customer bit and error severity
// (ntdef.h), 'A', 'S', and the signal that was asked for.
constexpr uint32_t kEndedByUs = 0xe0415300;

class Run final : public RunControl,
                  public ServiceLoop::Member,
                  public std::enable_shared_from_this<Run>,
                  private OutputPipe::Reader,
                  private InputPipe::Watcher {
 public:
  Run(Request request, std::shared_ptr<Sink> sink);

  // RunControl: any thread.
  size_t Write(Bytes chunk) override;
  void EndInput() override;
  void Credit(int stream, uint64_t bytes) override;
  void Stop(Cause cause) override;
  int Signal(int signal, bool tree) override;
  void Abandon() override;

  // Pool thread.
  void Start();
  // Any thread, instead of Start.
  void Fail(Failure failure);

  // Service thread.
  void OnExit();
  void OnJobEmpty();
  void OnEventExit();
  void OnTime(uint64_t now) override;

 private:
  enum class State { kQueued, kStarting, kRunning, kEnded };

  void Attach(Launched launched);
  void OpenPipes(Launched& launched);
  std::shared_ptr<TeeFile> MakeTee(UniqueHandle file);
  void Perform(Action action);
  void UpdateTimer();

  // Asking and ending: run_stop.cc.
  void AskToEnd();
  std::vector<UniqueHandle> OpenMembers() const;
  void OnEventStarted(UniqueHandle sender);
  void OnEventDone(DWORD consoles);
  void ForgetEvent();
  DWORD EndTree(int signal);   // mutex_ held
  DWORD EndChild(int signal);  // mutex_ held

  // The pipes: run_pipes.cc.
  void OnInputProgress() override;
  void OnChunk(int stream, Bytes chunk) override;
  void OnOutput(OutputPipe& pipe, bool at_end) override;
  void FlushInput();
  void CloseInput();
  void PumpOutput(OutputPipe& pipe);
  void Drain(OutputPipe& pipe);
  void AtEnd(OutputPipe& pipe);
  void OnCause(Cause cause);
  bool AnyPipeOpen() const { return output_.is_open() || error_.is_open(); }

  // The end of a run: run_end.cc.
  void CheckMembers();
  void Sweep();
  void GiveUp();
  void Verify();
  void FinishWhenFlushed();
  void Finish();
  void ClosePipe(OutputPipe& pipe);
  std::vector<DWORD> OthersInJob() const;
  void Record(DWORD pid, const char* fate, const char* why);
  std::optional<Usage> ReadUsage() const;
  void LeaveService();

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
  UniqueHandle process_;
  DWORD pid_ = 0;
  Job job_;
  bool exit_seen_ = false;
  size_t input_waiting_ = 0;

  std::string program_;
  InputPipe input_;
  OutputPipe output_;
  OutputPipe error_;
  HANDLE exit_wait_ = nullptr;
  bool polls_exit_ = false;      // no wait for the exit could be had
  bool asked_politely_ = false;  // in another way than by a console event
  UniqueHandle event_sender_;
  HANDLE event_wait_ = nullptr;
  ExitState exit_;
  double started_at_ms_ = 0;
  uint64_t started_ = 0;
  uint64_t ended_ = 0;

  enum class Ending { kNo, kVerifying, kFlushing, kReported };
  Ending ending_ = Ending::kNo;
  uint64_t ending_next_ = kNever;   // when to look again
  uint64_t ending_until_ = kNever;  // when to stop looking
  bool released_ = false;
  bool detached_ = false;
  std::vector<Leftover> leftovers_;
};

}  // namespace argv_spawn
