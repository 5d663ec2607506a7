#include "napi/encode.h"

#include <memory>
#include <utility>

#include "text/utf16.h"

namespace argv_spawn {

namespace {

// Below this a copy into V8's own memory is cheaper than a finalizer.
constexpr size_t kCopyBelow = 64 * 1024;

const char* TreeName(TreeStrength tree) {
  switch (tree) {
    case TreeStrength::kNone:
      return "none";
    case TreeStrength::kGroup:
      return "group";
    case TreeStrength::kTree:
      return "tree";
  }
  return "none";
}

const char* ParentDeathName(ParentDeath death) {
  switch (death) {
    case ParentDeath::kNone:
      return "none";
    case ParentDeath::kExitHook:
      return "exit-hook";
    case ParentDeath::kKeeper:
      return "keeper";
    case ParentDeath::kJob:
      return "job";
  }
  return "none";
}

Napi::Value StringOrNull(Napi::Env env, const std::string& text) {
  if (text.empty()) return env.Null();
  return EncodeString(env, text);
}

}  // namespace

Napi::String EncodeString(Napi::Env env, const std::string& text) {
  return HasLoneSurrogate(text) ? Napi::String::New(env, Utf16FromWtf8(text)) : Napi::String::New(env, text);
}

Napi::Value EncodeBytes(Napi::Env env, Bytes bytes) {
  const size_t size = bytes.size();
  if (size >= kCopyBelow) {
    auto owned = std::make_unique<Bytes>(std::move(bytes));
    napi_value buffer;
    const auto release = [](napi_env, void*, void* hint) { delete static_cast<Bytes*>(hint); };
    const napi_status status =
        napi_create_external_arraybuffer(env, owned->data(), size, release, owned.get(), &buffer);
    if (status == napi_ok) {
      owned.release();  // freed by the finalizer
      return Napi::Uint8Array::New(env, size, Napi::ArrayBuffer(env, buffer), 0);
    }
    // Not allowed under V8's sandbox (Electron): copy.
    bytes = std::move(*owned);
  }
  return Napi::Buffer<uint8_t>::Copy(env, bytes.data(), size);
}

Napi::Object EncodeFailure(Napi::Env env, const Failure& failure) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("stage", StageName(failure.stage));
  object.Set("errno", Napi::Number::New(env, failure.error));
  object.Set("code", failure.code);
  object.Set("call", failure.call);
  object.Set("subject", failure.subject);
  object.Set("path", StringOrNull(env, failure.path));
  object.Set("detail", EncodeString(env, failure.detail));
  object.Set("index", Napi::Number::New(env, static_cast<double>(failure.index)));
  object.Set("size", Napi::Number::New(env, static_cast<double>(failure.size)));
  object.Set("limit", Napi::Number::New(env, static_cast<double>(failure.limit)));
  Napi::Array tried = Napi::Array::New(env, failure.tried.size());
  for (size_t i = 0; i < failure.tried.size(); i++) {
    Napi::Object entry = Napi::Object::New(env);
    entry.Set("path", EncodeString(env, failure.tried[i].path));
    entry.Set("code", failure.tried[i].code);
    tried.Set(static_cast<uint32_t>(i), entry);
  }
  object.Set("tried", tried);
  return object;
}

Napi::Object EncodeStarted(Napi::Env env, const Started& started) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("kind", "started");
  object.Set("pid", Napi::Number::New(env, started.pid));
  object.Set("program", EncodeString(env, started.program));
  Napi::Array descriptors = Napi::Array::New(env, 3);
  for (uint32_t i = 0; i < 3; i++) descriptors.Set(i, Napi::Number::New(env, started.descriptors[i]));
  object.Set("descriptors", descriptors);
  return object;
}

Napi::Object EncodeFeatures(Napi::Env env, const Features& features) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("os", features.os);
  object.Set("engine", features.engine);
  object.Set("libc", features.libc);
  object.Set("pidfd", Napi::Boolean::New(env, features.pidfd));
  object.Set("closeFrom", Napi::Boolean::New(env, features.close_from));
  object.Set("tree", TreeName(features.tree));
  object.Set("parentDeath", ParentDeathName(features.parent_death));
  object.Set("keeper", StringOrNull(env, features.keeper));
  object.Set("keeperProblem", StringOrNull(env, features.keeper_problem));
  object.Freeze();
  return object;
}

}  // namespace argv_spawn
