// One run, as far as no system has a part in it: what other threads may ask, what Lifecycle decides and when, the
// events, what becomes of the streams, and the outcome. The system's part is `Run` in unix/run.h and win/run.h, which
// carries out what the private virtual functions ask.
//
// Life: made on the thread that asks; started on a thread that may block; everything else on the service thread,
// which owns it from Enter to LeaveWhenDone. What other threads may touch is behind mutex_.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/engine.h"
#include "core/input_queue.h"
#include "core/lifecycle.h"
#include "core/output_stream.h"
#include "core/service_loop.h"

namespace argv_spawn {

class RunBase : public RunControl,
                public ServiceLoop::Member,
                public std::enable_shared_from_this<RunBase>,
                private OutputStream::Reader {
 public:
  // RunControl: any thread.
  std::optional<size_t> Write(const uint8_t* data, size_t size) final;
  void EndInput() final;
  void Credit(int stream, uint64_t bytes) final;
  void Stop(Cause cause) final;
  void Abandon() final;
  // Instead of starting: the thread that asks. When that has failed: service thread.
  void Fail(Failure failure);

  // Service thread, when there is a timeout: from now on the start is given up if it takes longer.
  void BoundStart();
  // Any thread, likewise, timeout or not: it has become known that the start takes long.
  void OnStartLate();

  // Service thread.
  void OnTime(uint64_t now) final;

 protected:
  enum class State { kQueued, kStarting, kRunning, kEnded };
  enum class Ending { kNo, kVerifying, kFlushing, kReported };

  RunBase(Request request, std::shared_ptr<Sink> sink, std::shared_ptr<ServiceLoop> loop);

  // ---- starting: a thread that may block. In this order; kRunning is set by the system's part ----

  // False: it has been stopped or abandoned meanwhile, and nothing is to be started.
  bool BeginStart();
  // The program exists.
  void StampStart();
  // There is no program. Fail, on the service thread.
  void PostFail(Failure failure);
  // Any thread, mutex_ not held: `task` is done on the service thread, whichever that is by then.
  void PostToLoop(std::function<void()> task);

  // ---- running: the rest is for the service thread. First these, then the facts as they come ----

  // From now on the service thread owns the run.
  void Enter(int pid, std::string program);
  // For the tee files of this run: reads on, or reports, when some of one has been written. Any thread may call it.
  std::function<void()> MakeTeeProgress();
  // The pipe to stdin has been opened, or there is none: feeds it.
  void BeginInput();
  // Everything is watched: does what was asked for while the program was being started.
  void FinishEnter();

  // The direct child has ended: exit_ says how, exit_seen_ is set.
  void OnExit();
  // Bytes have been read from a pipe, or its end, or both.
  void OnRead(OutputStream& stream, size_t bytes, bool at_end);
  // The last reader of the child's stdin has gone.
  void OnInputHangup();
  // What holds the tree has nobody left.
  void OnTreeEmpty();
  void Perform(Action action);
  // After every change of what NextLook answers.
  void UpdateTimer();

  // More can be written, or there is more to write.
  void FlushInput();
  // Everything that is in the pipes now.
  void DrainOutputs();
  bool AnyPipeOpen() const { return output_.is_open() || error_.is_open(); }

  // ---- the end ----

  // Adds to the leftovers. A later record of the same process replaces what became of it.
  void Record(Leftover leftover);
  // The tree has been ended: VerifyTree is called now and then until BeginReport.
  void BeginVerifying();
  // For VerifyTree. Whether the bound on it has not passed; then it may look again after a while.
  bool may_verify_again(uint64_t now) const { return now < ending_until_; }
  void VerifyAgain(uint64_t now);
  // Nobody is waited for any more: reports once the tee files are written.
  void BeginReport();
  // Lets go of the run once it has been reported, its pipes are closed and the system's part is over.
  void LeaveWhenDone();
  // Leaves the loop, which then retires, for its heir, where Arrive is to be called.
  void MoveTo(std::shared_ptr<ServiceLoop> loop);
  // False: there is nothing to be done yet, or it has been done.
  bool Arrive();

  Request request_;
  std::shared_ptr<ServiceLoop> loop_;  // mutex_, except to read it on the service thread
  Lifecycle lifecycle_;

  std::mutex mutex_;
  State state_ = State::kQueued;  // mutex_
  bool exit_seen_ = false;        // mutex_

  InputQueue input_;
  OutputStream output_;
  OutputStream error_;
  ExitState exit_;
  Ending ending_ = Ending::kNo;
  bool released_ = false;  // what remains of the tree is left alone
  bool attached_ = false;  // to the loop

 private:
  // ---- the system's part ----

  // Any thread, mutex_ held, in kRunning: ends the tree at once.
  virtual void KillTree() = 0;
  // Writes what can be written, and sees to it that FlushInput is called when more can be.
  virtual InputState FeedInput() = 0;
  virtual void CloseInput() = 0;
  // Reading may be wanted where it was not, or the other way round.
  virtual void UpdateReading(OutputStream& stream) = 0;
  // Everything that is in the pipe now. True: it has come to its end.
  virtual bool DrainPipe(OutputStream& stream) = 0;
  virtual void ClosePipe(OutputStream& stream) = 0;
  // Whatever has to be looked at from time to time, and when next; kNever for "not".
  virtual void Look(uint64_t now) = 0;
  virtual uint64_t NextLook() const = 0;
  // The actions of Lifecycle.
  virtual void AskToEnd() = 0;
  // False: it is not allowed.
  virtual bool ForceEnd() = 0;
  virtual bool HasOthers() const = 0;
  // Records who remains, ends or releases them; then BeginVerifying or BeginReport.
  virtual void SweepTree() = 0;
  virtual void VerifyTree() = 0;
  virtual void RecordUnended() = 0;
  // pid, tree, parent_death, usage.
  virtual void Describe(Outcome& outcome) = 0;
  // state_ is kEnded: nobody will ask anything of the tree.
  virtual void OnReported() = 0;
  // Nothing is left to be seen or reaped.
  virtual bool is_over() const = 0;
  virtual void OnLeaving() {}

  // Any thread, mutex_ not held: `task` is done on the service thread, in the order of the calls, once it has the run.
  template <typename Task>
  void Hand(Task task);

  void AttachToLoop();
  void DetachFromLoop();
  // Gives the start up at that time, for that reason, if it is not over by then.
  void GiveUpStartAt(uint64_t at, Cause cause);
  void GiveUpStart();
  void EndAtOnce();

  void OnChunk(int stream, Bytes chunk) final;
  void OnCause(Cause cause);
  void GiveUp();
  void AtEnd(OutputStream& stream);
  void SendEnd(const OutputStream& stream);
  void ReportWhenFlushed();
  void Report();

  // When JavaScript is woken for an event. kSoon: service thread only, see ServiceLoop::WakeSoon. kLater: by another.
  enum class Wake { kNow, kSoon, kLater };
  void Send(Event event, Wake wake = Wake::kNow);
  Event MakeEvent(Event::Kind kind) const;

  std::shared_ptr<Sink> sink_;  // mutex_; empty once abandoned, or the last event has been sent
  bool entered_ = false;        // mutex_, except to read it on the service thread; FinishEnter was reached
  std::vector<std::function<void()>> early_;  // mutex_; what was handed over before
  size_t input_waiting_ = 0;                  // mutex_

  const uint64_t asked_;  // when it was
  uint64_t start_until_ = kNever;
  Cause start_cause_ = Cause::kNone;
  std::string program_;
  double started_at_ms_ = 0;
  uint64_t started_ = 0;
  uint64_t ended_ = 0;
  uint64_t ending_next_ = kNever;   // when to look again
  uint64_t ending_until_ = kNever;  // when to stop looking
  uint64_t verify_span_ = 0;
  std::vector<Leftover> leftovers_;
};

}  // namespace argv_spawn
