// The pipes of a run: feeding stdin, reading the outputs, and keeping the reactor's watches in step. Thread of the
// loop.
#include "unix/run.h"

namespace argv_spawn {

void Run::OnInput(bool hangup) {
  if (!input_.is_open()) return;
  if (hangup) {
    OnInputHangup();
  } else {
    FlushInput();
  }
}

InputState Run::FeedInput() {
  const InputState state = input_pipe_.Flush(loop().bounce());
  if (state == InputState::kComplete || state == InputState::kBroken) return state;
  const Interest interest = state == InputState::kBlocked ? Interest::kWrite : Interest::kHangup;
  if (input_watch_ != interest) {
    loop().reactor().Watch(input_pipe_.fd(), interest, TokenOf(Source::kStdin), input_watch_.has_value());
    input_watch_ = interest;
  }
  return state;
}

void Run::CloseInput() {
  if (input_watch_) loop().reactor().Unwatch(input_pipe_.fd());
  input_watch_.reset();
  input_pipe_.Close();
}

void Run::UpdateReading(OutputStream& stream) {
  OutputPipe& pipe = PipeOf(stream);
  const bool wanted = pipe.wants_to_read();
  if (wanted == pipe.watched) return;
  if (!wanted) {
    StopWatching(pipe);
    return;
  }
  const Source source = stream.number() == 1 ? Source::kStdout : Source::kStderr;
  pipe.watched = loop().reactor().Watch(pipe.fd(), Interest::kRead, TokenOf(source), false) == 0;
}

void Run::StopWatching(OutputPipe& pipe) {
  if (pipe.watched) loop().reactor().Unwatch(pipe.fd());
  pipe.watched = false;
}

void Run::OnOutput(OutputStream& stream, bool hangup) {
  if (!stream.is_open()) return;
  OutputPipe& pipe = PipeOf(stream);
  const OutputPipe::Progress progress = pipe.Read(loop().scratch(), hangup);
  OnRead(stream, progress.bytes, progress.at_end);
  if (pipe.rests_until() != kNever) UpdateTimer();
}

bool Run::DrainPipe(OutputStream& stream) { return PipeOf(stream).Drain(loop().scratch()).at_end; }

void Run::ClosePipe(OutputStream& stream) {
  OutputPipe& pipe = PipeOf(stream);
  StopWatching(pipe);
  pipe.Close();
}

}  // namespace argv_spawn
