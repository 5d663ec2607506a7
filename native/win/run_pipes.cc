// The pipes of a run: feeding stdin and reading the outputs. Service thread.
#include <utility>

#include "core/clock.h"
#include "win/run.h"

namespace argv_spawn {

void Run::OpenPipes(Launched& launched) {
  // A pipe that the port refuses (no memory) is of no use: it is closed, as if the child's end had been.
  const auto usable = [this](UniqueHandle handle) {
    return handle && service_.Associate(handle.get()) ? std::move(handle) : UniqueHandle();
  };
  output_.Open(usable(std::move(launched.output)), request_.output, MakeTee(std::move(launched.output_tee)));
  error_.Open(usable(std::move(launched.error)), request_.error, MakeTee(std::move(launched.error_tee)));
  PumpOutput(output_);
  PumpOutput(error_);
  UniqueHandle input = usable(std::move(launched.input));
  if (!input) {
    input_.Close();
    return;
  }
  input_.Open(std::move(input));
  if (request_.input.kind == StdinSpec::Kind::kData) {
    input_.Push(std::move(request_.input.data));
    input_.End();
  }
  FlushInput();  // also what was queued while the program was being started
}

void Run::OnInputProgress() { FlushInput(); }

void Run::FlushInput() {
  if (!input_.is_open()) return;
  const InputPipe::State state = input_.Flush();
  bool had_waiting;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    had_waiting = input_waiting_ > 0;
    input_waiting_ = input_.waiting();
  }
  switch (state) {
    case InputPipe::State::kBusy:
      return;
    case InputPipe::State::kIdle:
      if (had_waiting) Send(MakeEvent(Event::Kind::kDrain));
      return;
    case InputPipe::State::kComplete:
      CloseInput();
      return;
    case InputPipe::State::kBroken:
      CloseInput();
      Send(MakeEvent(Event::Kind::kStdinClosed), request_.progress);
      return;
  }
}

void Run::CloseInput() { input_.Close(); }

void Run::OnChunk(int stream, Bytes chunk) {
  Event event = MakeEvent(Event::Kind::kData);
  event.stream = stream;
  event.chunk = std::move(chunk);
  Send(std::move(event));
}

void Run::PumpOutput(OutputPipe& pipe) {
  if (!pipe.Pump()) return;
  service_.Post([self = shared_from_this(), &pipe] {
    if (pipe.is_open()) self->OnOutput(pipe, true);
  });
}

void Run::OnOutput(OutputPipe& pipe, bool at_end) {
  if (at_end) {
    AtEnd(pipe);
    if (ending_ == Ending::kReported && !AnyPipeOpen()) {  // a released tree has closed the last pipe
      LeaveService();
      return;
    }
    if (ending_ == Ending::kNo && !AnyPipeOpen()) Perform(lifecycle_.OnPipesClosed(NowNs()));
    UpdateTimer();
    return;
  }
  if (request_.idle_timeout != kNever && ending_ == Ending::kNo) {
    lifecycle_.OnOutput(NowNs());
    UpdateTimer();
  }
  PumpOutput(pipe);
  const OutputSpec& spec = &pipe == &output_ ? request_.output : request_.error;
  if (pipe.captured() > spec.kill_above) OnCause(Cause::kMaxBuffer);
}

// Whatever is in the pipe now; reading goes on afterwards unless that was the end.
void Run::Drain(OutputPipe& pipe) {
  if (!pipe.is_open()) return;
  if (pipe.Drain()) {
    AtEnd(pipe);
  } else {
    PumpOutput(pipe);
  }
}

void Run::AtEnd(OutputPipe& pipe) {
  pipe.Close();
  if (!pipe.streams()) return;
  Event event = MakeEvent(Event::Kind::kEnd);
  event.stream = pipe.stream();
  Send(std::move(event));
}

}  // namespace argv_spawn
