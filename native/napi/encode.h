// Native values into JavaScript ones, in the shapes of lib/native/contract.ts.
#pragma once

#include <napi.h>

#include "core/engine.h"
#include "core/event.h"

namespace argv_spawn {

Napi::Object EncodeStarted(Napi::Env env, const Started& started);
Napi::Object EncodeFailure(Napi::Env env, const Failure& failure);
Napi::Object EncodeFeatures(Napi::Env env, const Features& features);
// From WTF-8 (text/utf16.h).
Napi::String EncodeString(Napi::Env env, const std::string& text);
// Hands `bytes` over without a copy where the runtime allows it and it pays.
Napi::Value EncodeBytes(Napi::Env env, Bytes bytes);

}  // namespace argv_spawn
