#include "napi/decode.h"

#include <cmath>
#include <string>
#include <utility>

#include "core/engine.h"
#include "text/environment_block.h"
#include "text/utf16.h"

namespace argv_spawn {

namespace {

// As WTF-8 (text/utf16.h): half a surrogate pair, which Windows allows in any string, is kept.
std::string ToText(const Napi::Value& value) {
  const auto text = value.As<Napi::String>();
  std::string utf8 = text.Utf8Value();
  // Node-API writes U+FFFD for such a half; text that has none of those is complete.
  return utf8.find("\xef\xbf\xbd") == std::string::npos ? utf8 : Wtf8FromUtf16(text.Utf16Value());
}

// Reads fields of one object; after the first wrong one everything reads as empty and `failed` stays set.
class Fields {
 public:
  Fields(const Napi::Object& object, std::string where) : object_(object), where_(std::move(where)) {}

  bool failed() const { return failed_; }
  Napi::Value Get(const char* name) { return failed_ ? object_.Env().Undefined() : Napi::Value(object_.Get(name)); }

  std::string String(const char* name) {
    const Napi::Value value = Get(name);
    if (value.IsString()) return ToText(value);
    Fail(name, "a string");
    return "";
  }
  std::optional<std::string> OptionalString(const char* name) {
    if (Get(name).IsNull()) return std::nullopt;
    return String(name);
  }
  bool Boolean(const char* name) {
    const Napi::Value value = Get(name);
    if (value.IsBoolean()) return value.As<Napi::Boolean>().Value();
    Fail(name, "a boolean");
    return false;
  }
  double Number(const char* name) {
    const Napi::Value value = Get(name);
    if (value.IsNumber()) return value.As<Napi::Number>().DoubleValue();
    Fail(name, "a number");
    return 0;
  }
  Napi::Object Object(const char* name) {
    const Napi::Value value = Get(name);
    if (value.IsObject()) return value.As<Napi::Object>();
    Fail(name, "an object");
    return Napi::Object::New(object_.Env());
  }
  std::string Where(const char* name) const { return where_.empty() ? name : where_ + "." + name; }
  void Fail(const char* name, const char* expected) {
    if (failed_) return;
    failed_ = true;
    Napi::TypeError::New(object_.Env(), Where(name) + " must be " + expected).ThrowAsJavaScriptException();
  }

 private:
  const Napi::Object& object_;
  std::string where_;
  bool failed_ = false;
};

// Milliseconds to nanoseconds; Infinity and anything too large is "never".
uint64_t Nanoseconds(double milliseconds) {
  constexpr double kMost = 9e18;
  const double nanoseconds = milliseconds * 1e6;
  if (!(nanoseconds < kMost)) return kNever;
  return nanoseconds <= 0 ? 0 : static_cast<uint64_t>(nanoseconds);
}

uint64_t NanosecondsOrNever(double milliseconds) { return milliseconds == 0 ? kNever : Nanoseconds(milliseconds); }

uint64_t ByteCount(double number) {
  constexpr double kMost = 9e18;
  if (!(number < kMost)) return UINT64_MAX;
  return number <= 0 ? 0 : static_cast<uint64_t>(number);
}

bool DecodeStdin(Fields& parent, StdinSpec& spec) {
  const Napi::Object object = parent.Object("stdin");
  if (parent.failed()) return false;
  Fields fields(object, "stdin");
  const std::string kind = fields.String("kind");
  if (kind == "ignore") {
    spec.kind = StdinSpec::Kind::kIgnore;
  } else if (kind == "inherit") {
    spec.kind = StdinSpec::Kind::kInherit;
  } else if (kind == "stream") {
    spec.kind = StdinSpec::Kind::kStream;
  } else if (kind == "file") {
    spec.kind = StdinSpec::Kind::kFile;
    spec.path = fields.String("path");
  } else if (kind == "data") {
    spec.kind = StdinSpec::Kind::kData;
    std::optional<Bytes> data = DecodeBytes(fields.Get("data"));
    if (!data) {
      fields.Fail("data", "a string or bytes");
    } else {
      spec.data = std::move(*data);
    }
  } else {
    fields.Fail("kind", "a kind of stdin");
  }
  return !fields.failed();
}

bool DecodeOutput(Fields& parent, const char* name, OutputSpec& spec) {
  const Napi::Object object = parent.Object(name);
  if (parent.failed()) return false;
  Fields fields(object, name);
  const std::string kind = fields.String("kind");
  if (kind == "ignore") {
    spec.kind = OutputSpec::Kind::kIgnore;
  } else if (kind == "inherit") {
    spec.kind = OutputSpec::Kind::kInherit;
  } else if (kind == "stdout") {
    spec.kind = OutputSpec::Kind::kSameAsStdout;
  } else if (kind == "file") {
    spec.kind = OutputSpec::Kind::kFile;
    spec.path = fields.String("path");
    spec.append = fields.Boolean("append");
  } else if (kind == "collect") {
    spec.kind = OutputSpec::Kind::kCollect;
    spec.head = ByteCount(fields.Number("head"));
    spec.tail = ByteCount(fields.Number("tail"));
    spec.kill_at_cap = fields.Boolean("killAtCap");
    spec.tee = fields.OptionalString("tee");
  } else if (kind == "stream") {
    spec.kind = OutputSpec::Kind::kStream;
    spec.tee = fields.OptionalString("tee");
  } else {
    fields.Fail("kind", "a kind of output");
  }
  return !fields.failed();
}

std::string DecodeArgv(Fields& fields) {
  const Napi::Value value = fields.Get("argv");
  if (value.IsString()) return ToText(value);
  if (value.IsTypedArray()) {
    const auto bytes = value.As<Napi::Uint8Array>();
    return std::string(reinterpret_cast<const char*>(bytes.Data()), bytes.ByteLength());
  }
  fields.Fail("argv", "a string or bytes");
  return "";
}

Lingering DecodeLingering(Fields& fields) {
  const std::string word = fields.String("lingering");
  if (word == "leave") return Lingering::kLeave;
  if (word == "wait") return Lingering::kWait;
  if (word != "kill") fields.Fail("lingering", "'kill', 'leave' or 'wait'");
  return Lingering::kKill;
}

TreeStrength DecodeStrength(Fields& fields, const char* name) {
  const std::string word = fields.String(name);
  if (word == "none") return TreeStrength::kNone;
  if (word == "group") return TreeStrength::kGroup;
  if (word != "tree") fields.Fail(name, "'tree', 'group' or 'none'");
  return TreeStrength::kTree;
}

}  // namespace

std::optional<Bytes> DecodeBytes(const Napi::Value& value) {
  Bytes bytes;
  if (value.IsString()) {
    // Written straight into the block: a large text is not held twice.
    size_t size = 0;
    if (napi_get_value_string_utf8(value.Env(), value, nullptr, 0, &size) != napi_ok) return std::nullopt;
    if (!bytes.Reserve(size + 1, size + 1)) return std::nullopt;
    size_t written = 0;
    napi_get_value_string_utf8(value.Env(), value, reinterpret_cast<char*>(bytes.end()), size + 1, &written);
    bytes.Advance(written);
    return bytes;
  }
  if (!value.IsTypedArray()) return std::nullopt;
  const auto array = value.As<Napi::TypedArray>();
  if (array.TypedArrayType() != napi_uint8_array) return std::nullopt;
  const auto view = value.As<Napi::Uint8Array>();
  if (!bytes.Reserve(view.ByteLength(), view.ByteLength()) || !bytes.Append(view.Data(), view.ByteLength())) {
    return std::nullopt;
  }
  return bytes;
}

std::optional<Request> DecodeRequest(const Napi::Object& object) {
  Fields fields(object, "");
  Request request;
  request.id = static_cast<uint64_t>(fields.Number("id"));
  request.progress = fields.Boolean("progress");
  request.program = fields.String("program");
  request.base = fields.OptionalString("base");
  request.argv = DecodeArgv(fields);
  const bool host_env = fields.Boolean("hostEnv");
  request.env =
      MergeEnvironment(host_env ? HostEnvironment() : std::string(), fields.String("env"), GetFeatures().upcase);
  request.cwd = fields.OptionalString("cwd");
  request.timeout = NanosecondsOrNever(fields.Number("timeoutMs"));
  request.idle_timeout = NanosecondsOrNever(fields.Number("idleTimeoutMs"));
  request.kill_signal = static_cast<int>(fields.Number("killSignal"));
  request.force_kill_after = Nanoseconds(fields.Number("forceKillAfterMs"));
  request.lingering = DecodeLingering(fields);
  request.drain_timeout = Nanoseconds(fields.Number("drainTimeoutMs"));
  request.containment = DecodeStrength(fields, "containment");
  request.required = DecodeStrength(fields, "require");
  request.resolve_shims = fields.Boolean("resolveShims");
  if (fields.failed() || !DecodeStdin(fields, request.input) || !DecodeOutput(fields, "stdout", request.output) ||
      !DecodeOutput(fields, "stderr", request.error)) {
    return std::nullopt;
  }
  return request;
}

std::optional<ResolveQuery> DecodeResolve(const Napi::Object& object) {
  Fields fields(object, "");
  ResolveQuery query;
  query.id = static_cast<uint64_t>(fields.Number("id"));
  query.program = fields.String("program");
  query.base = fields.OptionalString("base");
  query.path = fields.OptionalString("path");
  if (fields.failed()) return std::nullopt;
  return query;
}

}  // namespace argv_spawn
