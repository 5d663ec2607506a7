#include "napi/outcome_table.h"

#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "napi/encode.h"

namespace argv_spawn {

namespace {

constexpr size_t kWidth = 18;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

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

int FlagsOf(const Outcome& outcome) {
  const auto flag = [](bool set, Flag which) { return set ? static_cast<int>(which) : 0; };
  const auto& [output, error] = std::tie(outcome.output, outcome.error);
  return flag(outcome.exit.core_dumped, kCoreDumped) | flag(outcome.exit.known, kStatusKnown) |
         flag(outcome.forced, kForced) | flag(outcome.stdin_closed_early, kStdinClosedEarly) |
         flag(output.has_value(), kHasOutput) | flag(error.has_value(), kHasError) |
         flag(outcome.usage.has_value(), kHasUsage) | flag(output && output->tee, kHasOutputTee) |
         flag(error && error->tee, kHasErrorTee);
}

void WriteCapture(const std::optional<Capture>& capture, double* numbers) {
  numbers[0] = capture ? static_cast<double>(capture->bytes) : 0;
  numbers[1] = capture && capture->tee ? static_cast<double>(capture->tee->bytes) : 0;
}

void WriteNumbers(uint64_t id, const Outcome& outcome, double* numbers) {
  const ExitState& exit = outcome.exit;
  numbers[0] = static_cast<double>(id);
  numbers[1] = outcome.pid;
  numbers[2] = ReasonNumber(outcome);
  numbers[3] = exit.known && !exit.signalled ? exit.value : kNone;
  numbers[4] = exit.known && exit.signalled ? exit.value : kNone;
  numbers[5] = FlagsOf(outcome);
  numbers[6] = static_cast<int>(outcome.tree);
  numbers[7] = static_cast<int>(outcome.parent_death);
  numbers[8] = outcome.started_at_ms;
  numbers[9] = outcome.duration_ms;
  numbers[10] = static_cast<double>(outcome.stdin_bytes);
  WriteCapture(outcome.output, numbers + 11);
  WriteCapture(outcome.error, numbers + 13);
  const Usage usage = outcome.usage.value_or(Usage());
  numbers[15] = usage.user_ms;
  numbers[16] = usage.system_ms;
  numbers[17] = usage.max_rss_bytes < 0 ? kNone : static_cast<double>(usage.max_rss_bytes);
}

bool IsSilent(const std::optional<Capture>& capture) {
  return !capture || (capture->head.size() == 0 && capture->tail.size() == 0 && !capture->tee);
}

Napi::Value BytesOrNull(Napi::Env env, Bytes bytes) {
  if (bytes.size() == 0) return env.Null();
  return EncodeBytes(env, std::move(bytes));
}

void SetCapture(Napi::Env env, Napi::Array& values, uint32_t at, std::optional<Capture> capture) {
  if (IsSilent(capture)) return;
  values.Set(at, BytesOrNull(env, std::move(capture->head)));
  values.Set(at + 1, BytesOrNull(env, std::move(capture->tail)));
  if (capture->tee) values.Set(at + 2, Napi::String::New(env, capture->tee->error));
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

}  // namespace

OutcomeTable::OutcomeTable(Napi::Env env)
    : table_(Napi::Persistent(Napi::Float64Array::New(env, kWidth * (kBatchRows + 1)))), numbers_(numbers().Data()) {}

Napi::Array OutcomeTable::Encode(Napi::Env env, uint64_t id, Outcome outcome, size_t row) {
  WriteNumbers(id, outcome, numbers_ + row * kWidth);
  const bool silent = IsSilent(outcome.output) && IsSilent(outcome.error) && outcome.leftovers.empty();
  Napi::Array values = Napi::Array::New(env, silent ? 2 : 9);
  values.Set(0u, Napi::Number::New(env, static_cast<double>(row * kWidth)));
  values.Set(1u, EncodeString(env, outcome.program));
  SetCapture(env, values, 2, std::move(outcome.output));
  SetCapture(env, values, 5, std::move(outcome.error));
  if (!outcome.leftovers.empty()) values.Set(8u, EncodeLeftovers(env, outcome.leftovers));
  return values;
}

}  // namespace argv_spawn
