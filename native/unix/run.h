// One run on Unix: the descriptors and the child it owns, and what RunBase asks to be done with them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/run_base.h"
#include "unix/input_pipe.h"
#include "unix/output_pipe.h"
#include "unix/process_table.h"
#include "unix/service.h"
#include "unix/spawn.h"
#include "unix/tree.h"

namespace argv_spawn {

class Run final : public RunBase, public PoolJob {
 public:
  Run(Request request, std::shared_ptr<Sink> sink, std::shared_ptr<RunLoop> loop);

  // Any thread.
  int Signal(int signal, bool tree) override;
  // Starts it. Spawner thread, or one that waits for the run.
  void Do() override;
  void OnLate() override { OnStartLate(); }
  // Service thread, after the last event: what there is still to be seen and reaped goes to the loop that serves all.
  void LeaveToService();
  // Any thread, instead of Do.
  Result<Started> StartHere();
  // Any thread, while the process exits.
  void EndAtExit();

  // Service thread.
  void OnReady(Source source, bool hangup);

 private:
  std::shared_ptr<Run> Self() { return std::static_pointer_cast<Run>(shared_from_this()); }
  Token TokenOf(Source source) const { return ServiceLoop::MakeToken(*this, static_cast<uint64_t>(source)); }

  RunLoop& loop() { return static_cast<RunLoop&>(*loop_); }

  // From kStarting to kRunning: the child exists, and an exiting process knows of it.
  Result<Launched> Begin();
  void PostAttach(Launched launched);
  void Attach(Launched launched);
  void Resume();
  std::shared_ptr<TeeFile> MakeTee(UniqueFd fd);
  void WatchTree();
  void LookAtTree();

  // The pipes: run_pipes.cc.
  OutputPipe& PipeOf(const OutputStream& stream) { return &stream == &output_ ? output_pipe_ : error_pipe_; }
  void OnInput(bool hangup);
  void OnOutput(OutputStream& stream, bool hangup);
  void StopWatching(OutputPipe& pipe);
  InputState FeedInput() override;
  void CloseInput() override;
  void UpdateReading(OutputStream& stream) override;
  bool DrainPipe(OutputStream& stream) override;
  void ClosePipe(OutputStream& stream) override;

  // The tree and its end: run_end.cc.
  void KillTree() override;
  void AskToEnd() override;
  bool ForceEnd() override;
  bool HasOthers() const override;
  void SweepTree() override;
  void VerifyTree() override;
  void RecordUnended() override;
  void Describe(Outcome& outcome) override;
  void OnReported() override;
  void OnLeaving() override;
  bool is_over() const override { return tree_->over(); }
  std::vector<int> OpenPipes() const;
  void RecordProcess(const ProcessInfo& process, bool held_pipe, const char* fate, const char* why);
  void RecordOutsiders(const std::vector<ProcessInfo>& members);
  void RecordEnded(const std::vector<EndedProcess>& ended);
  void ReapLeader();

  void Look(uint64_t now) override;
  uint64_t NextLook() const override;

  Service& service_;
  std::unique_ptr<Tree> tree_;  // from kRunning on, until OnLeaving; mutex_, see tree.h
  InputPipe input_pipe_;
  std::optional<Interest> input_watch_;
  OutputPipe output_pipe_;
  OutputPipe error_pipe_;
  std::optional<Usage> usage_;
  bool polls_tree_ = false;  // neither a descriptor nor a thread could be had to see the exit
};

}  // namespace argv_spawn
