// One run on Windows: the handles it owns, and what RunBase asks to be done with them.
#pragma once

#include <windows.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/run_base.h"
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

class Run final : public RunBase, private OutputPipe::Watcher, private InputPipe::Watcher {
 public:
  Run(Request request, std::shared_ptr<Sink> sink);

  // Any thread.
  int Signal(int signal, bool tree) override;
  // Pool thread.
  void Start();

  // Service thread.
  void OnExitSignalled();
  void OnJobEmpty();
  void OnEventExit();

 private:
  std::shared_ptr<Run> Self() { return std::static_pointer_cast<Run>(shared_from_this()); }
  Token TokenOf(Source source) const { return ServiceLoop::MakeToken(*this, static_cast<uint64_t>(source)); }

  void Attach(Launched launched);
  std::shared_ptr<TeeFile> MakeTee(UniqueHandle file);
  void Look(uint64_t now) override;
  uint64_t NextLook() const override;

  // Asking and ending: run_stop.cc.
  void AskToEnd() override;
  std::vector<UniqueHandle> OpenMembers() const;
  void OnEventStarted(UniqueHandle sender);
  void OnEventDone(DWORD consoles);
  void ForgetEvent();
  void KillTree() override { EndTree(kKill); }
  bool ForceEnd() override;
  DWORD EndTree(int signal);   // mutex_ held
  DWORD EndChild(int signal);  // mutex_ held

  // The pipes: run_pipes.cc.
  OutputPipe& PipeOf(const OutputStream& stream) { return &stream == &output_ ? output_pipe_ : error_pipe_; }
  void OpenPipes(Launched& launched);
  void OnInputProgress() override { FlushInput(); }
  void OnOutput(OutputPipe& pipe, size_t bytes, bool at_end) override;
  InputState FeedInput() override { return input_pipe_.Flush(); }
  void CloseInput() override { input_pipe_.Close(); }
  void UpdateReading(OutputStream& stream) override;
  bool DrainPipe(OutputStream& stream) override { return PipeOf(stream).Drain(); }
  void ClosePipe(OutputStream& stream) override { PipeOf(stream).Close(); }

  // The job and its end: run_end.cc.
  bool HasOthers() const override { return !OthersInJob().empty(); }
  void SweepTree() override;
  void VerifyTree() override;
  void RecordUnended() override;
  void Describe(Outcome& outcome) override;
  void OnReported() override;
  bool is_over() const override { return exit_seen_; }
  void OnLeaving() override { ForgetEvent(); }
  std::vector<DWORD> OthersInJob() const;
  void RecordProcess(DWORD pid, const char* fate, const char* why);
  std::optional<Usage> ReadUsage() const;

  Service& service_;
  UniqueHandle process_;  // mutex_
  DWORD pid_ = 0;
  Job job_;  // mutex_
  InputPipe input_pipe_;
  OutputPipe output_pipe_;
  OutputPipe error_pipe_;
  HANDLE exit_wait_ = nullptr;
  bool polls_exit_ = false;      // no wait for the exit could be had
  bool asked_politely_ = false;  // in another way than by a console event
  UniqueHandle event_sender_;
  HANDLE event_wait_ = nullptr;
};

}  // namespace argv_spawn
