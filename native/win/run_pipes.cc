// The pipes of a run: feeding stdin and reading the outputs. Service thread.
#include <utility>

#include "win/run.h"

namespace argv_spawn {

void Run::OpenPipes(Launched& launched) {
  // A pipe that the port refuses (no memory) is of no use: it is closed, as if the child's end had been.
  const auto usable = [this](UniqueHandle handle) {
    return handle && service_.Associate(handle.get()) ? std::move(handle) : UniqueHandle();
  };
  output_pipe_.Open(usable(std::move(launched.output)), request_.output, MakeTee(std::move(launched.output_tee)));
  error_pipe_.Open(usable(std::move(launched.error)), request_.error, MakeTee(std::move(launched.error_tee)));
  UpdateReading(output_);
  UpdateReading(error_);
  UniqueHandle input = usable(std::move(launched.input));
  if (input) input_pipe_.Open(std::move(input));
  BeginInput();
}

void Run::UpdateReading(OutputStream& stream) {
  if (!PipeOf(stream).Pump()) return;
  service_.Post([self = Self(), &stream] {
    if (stream.is_open()) self->OnRead(stream, 0, true);
  });
}

void Run::OnOutput(OutputPipe& pipe, size_t bytes, bool at_end) { OnRead(pipe.stream(), bytes, at_end); }

}  // namespace argv_spawn
