// JavaScript values into native ones. A wrong shape is a TypeError that names the field, and always our own bug: what
// users pass has been checked in TypeScript before.
#pragma once

#include <napi.h>

#include <optional>

#include "core/request.h"

namespace argv_spawn {

// Nothing with a pending exception.
std::optional<Request> DecodeRequest(const Napi::Object& object);
std::optional<ResolveQuery> DecodeResolve(const Napi::Object& object);
std::optional<Bytes> DecodeBytes(const Napi::Value& value);

}  // namespace argv_spawn
