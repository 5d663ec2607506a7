// Native events into JavaScript objects, in the shapes of lib/native/contract.ts.
#pragma once

#include <napi.h>

#include "core/engine.h"
#include "core/event.h"

namespace argv_spawn {

Napi::Object EncodeStarted(Napi::Env env, uint64_t id, const Started& started);
Napi::Object EncodeEvent(Napi::Env env, Event event);
Napi::Object EncodeFeatures(Napi::Env env, const Features& features);
// Hands `bytes` over without a copy where the runtime allows it and it pays.
Napi::Value EncodeBytes(Napi::Env env, Bytes bytes);

}  // namespace argv_spawn
