// JavaScript values into native ones. A wrong shape gives nothing, and is always our own bug: what users pass has been
// checked in TypeScript before.
#pragma once

#include <napi.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/request.h"

namespace argv_spawn {

// Arguments: the fields of a PackedRequest (lib/native/contract.ts).
std::optional<Request> DecodeRequest(const Napi::CallbackInfo& info);
// Arguments: id, program, base or null, PATH or null.
std::optional<ResolveQuery> DecodeResolve(const Napi::CallbackInfo& info);

// The memory of a Uint8Array, until JavaScript runs again.
struct BytesView {
  const uint8_t* data = nullptr;
  size_t size = 0;
};
std::optional<BytesView> ViewBytes(const Napi::Value& value);

}  // namespace argv_spawn
