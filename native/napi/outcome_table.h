// The last event of a run, as numbers in one table that JavaScript reads, and a short array for what is no number.
//
// It is on the way of every result, mostly with cold caches, where each property of an object that is made through
// Node-API costs about half a microsecond: there were forty. The meaning of each number is in
// lib/native/unpack-finished.ts, whose order of words is that of the enums here.
#pragma once

#include <napi.h>

#include <cstddef>
#include <cstdint>

#include "core/event.h"

namespace argv_spawn {

// JS thread only.
class OutcomeTable {
 public:
  // Rows for the events of one batch; a batch that is larger is delivered in parts.
  static constexpr size_t kBatchRows = 64;
  // The row of a blocking call, which JavaScript may make while it handles a batch.
  static constexpr size_t kSyncRow = kBatchRows;

  explicit OutcomeTable(Napi::Env env);

  Napi::Float64Array numbers() const { return table_.Value(); }
  // Valid until the row is used again.
  Napi::Array Encode(Napi::Env env, uint64_t id, Outcome outcome, size_t row);

 private:
  Napi::Reference<Napi::Float64Array> table_;
  double* const numbers_;  // its memory: nobody else has it to detach
};

}  // namespace argv_spawn
