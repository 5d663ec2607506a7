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

const char* ReasonName(const Outcome& outcome) {
  switch (outcome.cause) {
    case Cause::kNone:
      return outcome.exit.signalled ? "signal" : "exit";
    case Cause::kTimeout:
      return "timeout";
    case Cause::kIdleTimeout:
      return "idle-timeout";
    case Cause::kAbort:
      return "abort";
    case Cause::kStop:
      return "stop";
    case Cause::kMaxBuffer:
      return "max-buffer";
  }
  return "exit";
}

// From WTF-8 (text/utf16.h).
Napi::String ToString(Napi::Env env, const std::string& text) {
  return HasLoneSurrogate(text) ? Napi::String::New(env, Utf16FromWtf8(text)) : Napi::String::New(env, text);
}

Napi::Value StringOrNull(Napi::Env env, const std::string& text) {
  if (text.empty()) return env.Null();
  return ToString(env, text);
}

void SetExit(Napi::Env env, Napi::Object& object, const ExitState& exit) {
  const auto value = Napi::Number::New(env, exit.value);
  object.Set("code", exit.known && !exit.signalled ? Napi::Value(value) : env.Null());
  object.Set("signal", exit.known && exit.signalled ? Napi::Value(value) : env.Null());
}

void SetFailure(Napi::Env env, Napi::Object& object, const Failure& failure) {
  object.Set("stage", StageName(failure.stage));
  object.Set("errno", Napi::Number::New(env, failure.error));
  object.Set("code", failure.code);
  object.Set("call", failure.call);
  object.Set("subject", failure.subject);
  object.Set("path", StringOrNull(env, failure.path));
  object.Set("detail", ToString(env, failure.detail));
  object.Set("index", Napi::Number::New(env, static_cast<double>(failure.index)));
  object.Set("size", Napi::Number::New(env, static_cast<double>(failure.size)));
  object.Set("limit", Napi::Number::New(env, static_cast<double>(failure.limit)));
  Napi::Array tried = Napi::Array::New(env, failure.tried.size());
  for (size_t i = 0; i < failure.tried.size(); i++) {
    Napi::Object entry = Napi::Object::New(env);
    entry.Set("path", ToString(env, failure.tried[i].path));
    entry.Set("code", failure.tried[i].code);
    tried.Set(static_cast<uint32_t>(i), entry);
  }
  object.Set("tried", tried);
}

Napi::Value EncodeBytesOrNull(Napi::Env env, Bytes bytes) {
  if (bytes.size() == 0) return env.Null();
  return EncodeBytes(env, std::move(bytes));
}

Napi::Value EncodeCapture(Napi::Env env, std::optional<Capture> capture) {
  if (!capture) return env.Null();
  Napi::Object object = Napi::Object::New(env);
  object.Set("head", EncodeBytesOrNull(env, std::move(capture->head)));
  object.Set("tail", EncodeBytesOrNull(env, std::move(capture->tail)));
  object.Set("bytes", Napi::Number::New(env, static_cast<double>(capture->bytes)));
  Napi::Value tee = env.Null();
  if (capture->tee) {
    Napi::Object report = Napi::Object::New(env);
    report.Set("bytes", Napi::Number::New(env, static_cast<double>(capture->tee->bytes)));
    report.Set("error", capture->tee->error);
    tee = report;
  }
  object.Set("tee", tee);
  return object;
}

Napi::Value EncodeLeftovers(Napi::Env env, const std::vector<Leftover>& leftovers) {
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

Napi::Value EncodeUsage(Napi::Env env, const std::optional<Usage>& usage) {
  if (!usage) return env.Null();
  Napi::Object object = Napi::Object::New(env);
  object.Set("userMs", Napi::Number::New(env, usage->user_ms));
  object.Set("systemMs", Napi::Number::New(env, usage->system_ms));
  object.Set("maxRssBytes", usage->max_rss_bytes < 0
                                ? env.Null()
                                : Napi::Value(Napi::Number::New(env, static_cast<double>(usage->max_rss_bytes))));
  return object;
}

void SetOutcome(Napi::Env env, Napi::Object& object, Outcome outcome) {
  object.Set("pid", Napi::Number::New(env, outcome.pid));
  object.Set("program", ToString(env, outcome.program));
  object.Set("reason", ReasonName(outcome));
  SetExit(env, object, outcome.exit);
  object.Set("coreDumped", Napi::Boolean::New(env, outcome.exit.core_dumped));
  object.Set("statusKnown", Napi::Boolean::New(env, outcome.exit.known));
  object.Set("forced", Napi::Boolean::New(env, outcome.forced));
  object.Set("stdout", EncodeCapture(env, std::move(outcome.output)));
  object.Set("stderr", EncodeCapture(env, std::move(outcome.error)));
  Napi::Object input = Napi::Object::New(env);
  input.Set("bytesWritten", Napi::Number::New(env, static_cast<double>(outcome.stdin_bytes)));
  input.Set("closedEarly", Napi::Boolean::New(env, outcome.stdin_closed_early));
  object.Set("stdin", input);
  object.Set("leftovers", EncodeLeftovers(env, outcome.leftovers));
  object.Set("tree", TreeName(outcome.tree));
  object.Set("parentDeath", outcome.parent_death);
  object.Set("startedAt", Napi::Number::New(env, outcome.started_at_ms));
  object.Set("durationMs", Napi::Number::New(env, outcome.duration_ms));
  object.Set("usage", EncodeUsage(env, outcome.usage));
}

const char* KindName(Event::Kind kind) {
  switch (kind) {
    case Event::Kind::kFailed:
      return "failed";
    case Event::Kind::kCancelled:
      return "cancelled";
    case Event::Kind::kSpawned:
      return "spawned";
    case Event::Kind::kData:
      return "data";
    case Event::Kind::kEnd:
      return "end";
    case Event::Kind::kDrain:
      return "drain";
    case Event::Kind::kStdinClosed:
      return "stdin-closed";
    case Event::Kind::kExit:
      return "exit";
    case Event::Kind::kFinished:
      return "finished";
    case Event::Kind::kResolved:
      return "resolved";
    case Event::Kind::kUnresolved:
      return "unresolved";
  }
  return "failed";
}

}  // namespace

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

Napi::Object EncodeStarted(Napi::Env env, uint64_t id, const Started& started) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("kind", "started");
  object.Set("id", Napi::Number::New(env, static_cast<double>(id)));
  object.Set("pid", Napi::Number::New(env, started.pid));
  object.Set("program", ToString(env, started.program));
  Napi::Array descriptors = Napi::Array::New(env, 3);
  for (uint32_t i = 0; i < 3; i++) descriptors.Set(i, Napi::Number::New(env, started.descriptors[i]));
  object.Set("descriptors", descriptors);
  return object;
}

Napi::Object EncodeEvent(Napi::Env env, Event event) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("kind", KindName(event.kind));
  object.Set("id", Napi::Number::New(env, static_cast<double>(event.id)));
  switch (event.kind) {
    case Event::Kind::kFailed:
    case Event::Kind::kUnresolved:
      SetFailure(env, object, *event.failure);
      break;
    case Event::Kind::kSpawned:
      object.Set("pid", Napi::Number::New(env, event.pid));
      object.Set("program", ToString(env, event.path));
      break;
    case Event::Kind::kData:
      object.Set("stream", Napi::Number::New(env, event.stream));
      object.Set("chunk", EncodeBytes(env, std::move(event.chunk)));
      break;
    case Event::Kind::kEnd:
      object.Set("stream", Napi::Number::New(env, event.stream));
      break;
    case Event::Kind::kExit:
      SetExit(env, object, event.exit);
      break;
    case Event::Kind::kFinished:
      SetOutcome(env, object, std::move(*event.outcome));
      break;
    case Event::Kind::kResolved:
      object.Set("path", ToString(env, event.path));
      break;
    case Event::Kind::kCancelled:
    case Event::Kind::kDrain:
    case Event::Kind::kStdinClosed:
      break;
  }
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
  object.Set("parentDeath", features.parent_death);
  object.Set("keeper", StringOrNull(env, features.keeper));
  object.Set("keeperProblem", StringOrNull(env, features.keeper_problem));
  object.Freeze();
  return object;
}

}  // namespace argv_spawn
