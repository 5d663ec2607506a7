#include "napi/event_table.h"

#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "napi/encode.h"

namespace argv_spawn {

namespace {

constexpr size_t kWidth = 20;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Of a finished run.
enum Flag : int {
  kCoreDumped = 1,
  kStatusKnown = 2,
  kForced = 4,
  kStdinClosedEarly = 8,
  kHasOutput = 16,
  kHasError = 32,
  kHasUsage = 64,
  kHasOutputTee = 128,
  kHasErrorTee = 256,
  kHasValues = 512,
};

// Order of NativeReason in unpack-finished.ts.
int ReasonNumber(const Outcome& outcome) {
  switch (outcome.cause) {
    case Cause::kNone:
      return outcome.exit.signalled ? 1 : 0;
    case Cause::kTimeout:
      return 2;
    case Cause::kIdleTimeout:
      return 3;
    case Cause::kAbort:
      return 4;
    case Cause::kStop:
      return 5;
    case Cause::kMaxBuffer:
      return 6;
  }
  return 0;
}

bool IsSilent(const std::optional<Capture>& capture) {
  return !capture || (capture->head.size() == 0 && capture->tail.size() == 0 && !capture->tee);
}

bool HasValues(const Outcome& outcome) {
  return !IsSilent(outcome.output) || !IsSilent(outcome.error) || !outcome.leftovers.empty();
}

int FlagsOf(const Outcome& outcome) {
  const auto flag = [](bool set, Flag which) { return set ? static_cast<int>(which) : 0; };
  const auto& [output, error] = std::tie(outcome.output, outcome.error);
  return flag(outcome.exit.core_dumped, kCoreDumped) | flag(outcome.exit.known, kStatusKnown) |
         flag(outcome.forced, kForced) | flag(outcome.stdin_closed_early, kStdinClosedEarly) |
         flag(output.has_value(), kHasOutput) | flag(error.has_value(), kHasError) |
         flag(outcome.usage.has_value(), kHasUsage) | flag(output && output->tee, kHasOutputTee) |
         flag(error && error->tee, kHasErrorTee) | flag(HasValues(outcome), kHasValues);
}

void WriteCapture(const std::optional<Capture>& capture, double* numbers) {
  numbers[0] = capture ? static_cast<double>(capture->bytes) : 0;
  numbers[1] = capture && capture->tee ? static_cast<double>(capture->tee->bytes) : 0;
}

void WriteExit(const ExitState& exit, double* numbers) {
  numbers[0] = exit.known && !exit.signalled ? exit.value : kNone;
  numbers[1] = exit.known && exit.signalled ? exit.value : kNone;
}

void WriteOutcome(const Outcome& outcome, double* numbers) {
  numbers[0] = outcome.pid;
  numbers[1] = ReasonNumber(outcome);
  WriteExit(outcome.exit, numbers + 2);
  numbers[4] = FlagsOf(outcome);
  numbers[5] = static_cast<int>(outcome.tree);
  numbers[6] = static_cast<int>(outcome.parent_death);
  numbers[7] = outcome.started_at_ms;
  numbers[8] = outcome.duration_ms;
  numbers[9] = static_cast<double>(outcome.stdin_bytes);
  WriteCapture(outcome.output, numbers + 10);
  WriteCapture(outcome.error, numbers + 12);
  const Usage usage = outcome.usage.value_or(Usage());
  numbers[14] = usage.user_ms;
  numbers[15] = usage.system_ms;
  numbers[16] = usage.max_rss_bytes < 0 ? kNone : static_cast<double>(usage.max_rss_bytes);
}

void Add(Napi::Array& values, const Napi::Value& value) { values.Set(values.Length(), value); }

Napi::Value BytesOrNull(Napi::Env env, Bytes bytes) {
  if (bytes.size() == 0) return env.Null();
  return EncodeBytes(env, std::move(bytes));
}

// Three values, whatever it has.
void AddCapture(Napi::Env env, Napi::Array& values, std::optional<Capture> capture) {
  Capture parts = capture ? std::move(*capture) : Capture();
  Add(values, BytesOrNull(env, std::move(parts.head)));
  Add(values, BytesOrNull(env, std::move(parts.tail)));
  Add(values, parts.tee ? Napi::Value(Napi::String::New(env, parts.tee->error)) : env.Null());
}

Napi::Array EncodeLeftovers(Napi::Env env, const std::vector<Leftover>& leftovers) {
  Napi::Array array = Napi::Array::New(env, leftovers.size());
  for (size_t i = 0; i < leftovers.size(); i++) {
    Napi::Object object = Napi::Object::New(env);
    object.Set("pid", Napi::Number::New(env, leftovers[i].pid));
    object.Set("name", leftovers[i].name);
    object.Set("heldPipe", Napi::Boolean::New(env, leftovers[i].held_pipe));
    object.Set("fate", leftovers[i].fate);
    object.Set("why", leftovers[i].why);
    array.Set(static_cast<uint32_t>(i), object);
  }
  return array;
}

void AddOutcome(Napi::Env env, Napi::Array& values, Outcome outcome) {
  Add(values, EncodeString(env, outcome.program));
  if (!HasValues(outcome)) return;
  AddCapture(env, values, std::move(outcome.output));
  AddCapture(env, values, std::move(outcome.error));
  Add(values, EncodeLeftovers(env, outcome.leftovers));
}

}  // namespace

EventTable::EventTable(Napi::Env env)
    : table_(Napi::Persistent(Napi::Float64Array::New(env, kWidth * (kBatchRows + 1)))), numbers_(numbers().Data()) {}

void EventTable::Write(Napi::Env env, Event event, size_t row, Napi::Array& values) {
  double* const numbers = numbers_ + row * kWidth;
  numbers[0] = static_cast<int>(event.kind);
  numbers[1] = static_cast<double>(event.id);
  switch (event.kind) {
    case Event::Kind::kFailed:
    case Event::Kind::kUnresolved:
      Add(values, EncodeFailure(env, *event.failure));
      break;
    case Event::Kind::kSpawned:
      numbers[2] = event.pid;
      Add(values, EncodeString(env, event.path));
      break;
    case Event::Kind::kData:
      numbers[2] = event.stream;
      Add(values, EncodeBytes(env, std::move(event.chunk)));
      break;
    case Event::Kind::kEnd:
      numbers[2] = event.stream;
      break;
    case Event::Kind::kExit:
      WriteExit(event.exit, numbers + 2);
      break;
    case Event::Kind::kFinished:
      WriteOutcome(*event.outcome, numbers + 2);
      AddOutcome(env, values, std::move(*event.outcome));
      break;
    case Event::Kind::kResolved:
      Add(values, EncodeString(env, event.path));
      break;
    case Event::Kind::kCancelled:
    case Event::Kind::kDrain:
    case Event::Kind::kStdinClosed:
      break;
  }
}

}  // namespace argv_spawn
