// Events as numbers in one table that JavaScript reads, and an array of what is no number.
//
// They are on the way of every start and every result, mostly with cold caches, where each property of an object that
// is made through Node-API costs about half a microsecond: a result had forty. The meaning of each number is in
// lib/native/unpack-events.ts, whose order of words is that of the enums here.
#pragma once

#include <napi.h>

#include <cstddef>
#include <cstdint>

#include "core/event.h"

namespace argv_spawn {

// JS thread only.
class EventTable {
 public:
  // Rows for the events of one batch; a batch that is larger is delivered in parts.
  static constexpr size_t kBatchRows = 64;
  // The row of a blocking call, which JavaScript may make while it handles a batch.
  static constexpr size_t kSyncRow = kBatchRows;

  explicit EventTable(Napi::Env env);

  Napi::Float64Array numbers() const { return table_.Value(); }
  // Fills the row, which is valid until it is used again, and appends to `values` what is no number.
  void Write(Napi::Env env, Event event, size_t row, Napi::Array& values);

 private:
  Napi::Reference<Napi::Float64Array> table_;
  double* const numbers_;  // its memory: nobody else has it to detach
};

}  // namespace argv_spawn
