// The exports, one small function each: decode, hand over, encode. See lib/native/contract.ts.
#include <napi.h>

#include <memory>
#include <optional>
#include <utility>

#include "core/engine.h"
#include "napi/decode.h"
#include "napi/encode.h"
#include "napi/environment.h"

namespace argv_spawn {

namespace {

constexpr int kAbi = 6;

Environment& EnvironmentOf(const Napi::CallbackInfo& info) { return *static_cast<Environment*>(info.Data()); }

uint64_t IdOf(const Napi::CallbackInfo& info) {
  return static_cast<uint64_t>(info[0].As<Napi::Number>().DoubleValue());
}

bool Check(const Napi::CallbackInfo& info, bool right, const char* expected) {
  if (!right) Napi::TypeError::New(info.Env(), expected).ThrowAsJavaScriptException();
  return right;
}

Napi::Value Open(const Napi::CallbackInfo& info) {
  if (!Check(info, info[0].IsFunction(), "open needs a function")) return info.Env().Undefined();
  return EnvironmentOf(info).Open(info.Env(), info[0].As<Napi::Function>());
}

void SetRef(const Napi::CallbackInfo& info) {
  if (!Check(info, info[0].IsNumber() && info[1].IsBoolean(), "setRef needs an id and a boolean")) return;
  EnvironmentOf(info).SetRef(info.Env(), IdOf(info), info[1].As<Napi::Boolean>().Value());
}

void Start(const Napi::CallbackInfo& info) {
  auto request = DecodeRequest(info);
  if (!Check(info, request && EnvironmentOf(info).is_open(), "start needs a request, after open")) return;
  EnvironmentOf(info).Start(info.Env(), std::move(*request));
}

Napi::Value StartHere(const Napi::CallbackInfo& info) {
  auto request = DecodeRequest(info);
  const bool right = request && EnvironmentOf(info).is_open();
  if (!Check(info, right, "startHere needs a request, after open")) return info.Env().Undefined();
  Result<Started> started = EnvironmentOf(info).StartHere(info.Env(), std::move(*request));
  if (started.ok()) return EncodeStarted(info.Env(), started.value());
  Napi::Object failed = EncodeFailure(info.Env(), started.failure());
  failed.Set("kind", "failed");
  return failed;
}

Napi::Value StartSync(const Napi::CallbackInfo& info) {
  auto request = DecodeRequest(info);
  const bool right = request && EnvironmentOf(info).is_open();
  if (!Check(info, right, "startSync needs a request, after open")) return info.Env().Undefined();
  Event last = RunToEnd(std::move(*request));
  Napi::Array values = Napi::Array::New(info.Env());
  EnvironmentOf(info).events().Write(info.Env(), std::move(last), EventTable::kSyncRow, values);
  return values;
}

void Resolve(const Napi::CallbackInfo& info) {
  auto query = DecodeResolve(info);
  if (!Check(info, query && EnvironmentOf(info).is_open(), "resolve needs a query, after open")) return;
  EnvironmentOf(info).Resolve(info.Env(), std::move(*query));
}

Napi::Value Write(const Napi::CallbackInfo& info) {
  if (!Check(info, info[0].IsNumber(), "write needs an id")) return info.Env().Undefined();
  const std::optional<BytesView> bytes = ViewBytes(info[1]);
  if (!Check(info, bytes.has_value(), "write needs bytes")) return info.Env().Undefined();
  RunControl* run = EnvironmentOf(info).Find(IdOf(info));
  const std::optional<size_t> waiting = run == nullptr ? 0 : run->Write(bytes->data, bytes->size);
  if (!waiting) {
    Napi::Error::New(info.Env(), "no memory for the bytes written to stdin").ThrowAsJavaScriptException();
    return info.Env().Undefined();
  }
  return Napi::Number::New(info.Env(), static_cast<double>(*waiting));
}

void End(const Napi::CallbackInfo& info) {
  if (!Check(info, info[0].IsNumber(), "end needs an id")) return;
  if (RunControl* run = EnvironmentOf(info).Find(IdOf(info))) run->EndInput();
}

void Credit(const Napi::CallbackInfo& info) {
  const bool right = info[0].IsNumber() && info[1].IsNumber() && info[2].IsNumber();
  if (!Check(info, right, "credit needs an id, a stream and a number")) return;
  RunControl* run = EnvironmentOf(info).Find(IdOf(info));
  const double bytes = info[2].As<Napi::Number>().DoubleValue();
  if (run != nullptr && bytes > 0) {
    run->Credit(info[1].As<Napi::Number>().Int32Value(), bytes < 9e15 ? static_cast<uint64_t>(bytes) : UINT64_MAX);
  }
}

void Stop(const Napi::CallbackInfo& info) {
  if (!Check(info, info[0].IsNumber() && info[1].IsString(), "stop needs an id and a reason")) return;
  const Cause cause = info[1].As<Napi::String>().Utf8Value() == "abort" ? Cause::kAbort : Cause::kStop;
  if (RunControl* run = EnvironmentOf(info).Find(IdOf(info))) run->Stop(cause);
}

Napi::Value Signal(const Napi::CallbackInfo& info) {
  const bool right = info[0].IsNumber() && info[1].IsNumber() && info[2].IsBoolean();
  if (!Check(info, right, "signal needs an id, a number and a boolean")) return info.Env().Undefined();
  constexpr int kNoSuchProcess = -3;  // -ESRCH, the same number everywhere
  RunControl* run = EnvironmentOf(info).Find(IdOf(info));
  const int signal = info[1].As<Napi::Number>().Int32Value();
  const int result = run == nullptr ? kNoSuchProcess : run->Signal(signal, info[2].As<Napi::Boolean>().Value());
  return Napi::Number::New(info.Env(), result);
}

}  // namespace

static Napi::Object Init(Napi::Env env, Napi::Object exports) {
  auto owner = std::make_unique<Environment>(env);
  Environment* environment = owner.get();
  env.SetInstanceData<Environment>(owner.release());  // deleted with the environment
  const auto add = [&](const char* name, auto function) {
    exports.Set(name, Napi::Function::New(env, function, name, environment));
  };
  exports.Set("abi", Napi::Number::New(env, kAbi));
  exports.Set("features", EncodeFeatures(env, GetFeatures()));
  add("open", Open);
  add("setRef", SetRef);
  add("start", Start);
  add("startHere", StartHere);
  add("startSync", StartSync);
  add("resolve", Resolve);
  add("write", Write);
  add("end", End);
  add("credit", Credit);
  add("stop", Stop);
  add("signal", Signal);
  return exports;
}

}  // namespace argv_spawn

static Napi::Object InitAddon(Napi::Env env, Napi::Object exports) { return argv_spawn::Init(env, exports); }

NODE_API_MODULE(argv_spawn, InitAddon)
