// Native events into JavaScript objects, in the shapes of lib/native/contract.ts.
#pragma once

#include <napi.h>

#include "core/engine.h"
#include "core/event.h"
#include "napi/outcome_table.h"

namespace argv_spawn {

Napi::Object EncodeStarted(Napi::Env env, uint64_t id, const Started& started);
Napi::Object EncodeFailed(Napi::Env env, uint64_t id, const Failure& failure);
// `row` of `table` is where a finished run is told.
Napi::Object EncodeEvent(Napi::Env env, Event event, OutcomeTable& table, size_t row);
Napi::Object EncodeFeatures(Napi::Env env, const Features& features);
// From WTF-8 (text/utf16.h).
Napi::String EncodeString(Napi::Env env, const std::string& text);
// Hands `bytes` over without a copy where the runtime allows it and it pays.
Napi::Value EncodeBytes(Napi::Env env, Bytes bytes);

}  // namespace argv_spawn
