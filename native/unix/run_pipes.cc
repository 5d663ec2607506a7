// The pipes of a run: feeding stdin, reading the outputs, and keeping the reactor's watches in step. Service thread.
#include <utility>

#include "core/clock.h"
#include "unix/run.h"

namespace argv_spawn {

void Run::OnInput(bool hangup) {
  if (!input_.is_open()) return;
  if (!hangup) {
    FlushInput();
    return;
  }
  CloseInput();  // the last reader has gone
  Send(MakeEvent(Event::Kind::kStdinClosed), request_.progress);
}

void Run::FlushInput() {
  if (!input_.is_open()) return;
  const bool had_waiting = input_.waiting() > 0;
  const InputPipe::State state = input_.Flush();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    input_waiting_ = input_.waiting();
  }
  if (state == InputPipe::State::kComplete || state == InputPipe::State::kBroken) {
    CloseInput();
    if (state == InputPipe::State::kBroken) Send(MakeEvent(Event::Kind::kStdinClosed), request_.progress);
    return;
  }
  const Interest interest = state == InputPipe::State::kBlocked ? Interest::kWrite : Interest::kHangup;
  if (input_watch_ != interest) {
    const Token token = TokenOf(Source::kStdin);
    service_.reactor().Watch(input_.fd(), interest, token, input_watch_.has_value());
    input_watch_ = interest;
  }
  if (state == InputPipe::State::kIdle && had_waiting) Send(MakeEvent(Event::Kind::kDrain));
}

void Run::CloseInput() {
  if (input_watch_) service_.reactor().Unwatch(input_.fd());
  input_watch_.reset();
  input_.Close();
}

void Run::UpdateWatch(OutputPipe& pipe) {
  const bool wanted = pipe.wants_to_read();
  if (wanted == pipe.watched) return;
  if (!wanted) {
    StopWatching(pipe);
    return;
  }
  const Source source = &pipe == &output_ ? Source::kStdout : Source::kStderr;
  pipe.watched = service_.reactor().Watch(pipe.fd(), Interest::kRead, TokenOf(source), false) == 0;
}

void Run::StopWatching(OutputPipe& pipe) {
  if (pipe.watched) service_.reactor().Unwatch(pipe.fd());
  pipe.watched = false;
}

void Run::OnChunk(int stream, Bytes chunk) {
  Event event = MakeEvent(Event::Kind::kData);
  event.stream = stream;
  event.chunk = std::move(chunk);
  Send(std::move(event));
}

void Run::OnOutput(OutputPipe& pipe, bool hangup) {
  if (!pipe.is_open()) return;
  const OutputPipe::Progress progress = pipe.Read(hangup);
  if (progress.bytes > 0 && request_.idle_timeout != kNever && ending_ == Ending::kNo) {
    lifecycle_.OnOutput(NowNs());
    UpdateTimer();
  }
  if (progress.at_end) {
    AtEnd(pipe);
    if (ending_ == Ending::kReported && !AnyPipeOpen()) {  // a released tree has closed the last pipe
      LeaveWhenDone();
      return;
    }
    if (ending_ == Ending::kNo && !AnyPipeOpen()) Perform(lifecycle_.OnPipesClosed(NowNs()));
    UpdateTimer();
    return;
  }
  UpdateWatch(pipe);
  if (pipe.rests_until() != kNever) UpdateTimer();
  const OutputSpec& spec = &pipe == &output_ ? request_.output : request_.error;
  if (pipe.captured() > spec.kill_above) OnCause(Cause::kMaxBuffer);
}

void Run::Drain(OutputPipe& pipe) {
  if (!pipe.is_open()) return;
  if (pipe.Drain().at_end) AtEnd(pipe);
}

void Run::AtEnd(OutputPipe& pipe) {
  StopWatching(pipe);
  pipe.Close();
  if (!pipe.streams()) return;
  Event event = MakeEvent(Event::Kind::kEnd);
  event.stream = &pipe == &output_ ? 1 : 2;
  Send(std::move(event));
}

}  // namespace argv_spawn
