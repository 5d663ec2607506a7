// JavaScript values into native ones. A wrong shape gives nothing, and is always our own bug: what users pass has been
// checked in TypeScript before.
#pragma once

#include <napi.h>

#include <optional>

#include "core/request.h"

namespace argv_spawn {

// Arguments: the fields of a PackedRequest (lib/native/contract.ts).
std::optional<Request> DecodeRequest(const Napi::CallbackInfo& info);
// Arguments: id, program, base or null, PATH or null.
std::optional<ResolveQuery> DecodeResolve(const Napi::CallbackInfo& info);
std::optional<Bytes> DecodeBytes(const Napi::Value& value);

}  // namespace argv_spawn
