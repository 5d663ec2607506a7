#include "napi/decode.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/engine.h"
#include "text/environment_block.h"
#include "text/utf16.h"

namespace argv_spawn {

namespace {

// With U+FFFD for half a surrogate pair. Most texts are short, and need not be asked for their length before.
std::string ToUtf8(const Napi::Value& value) {
  constexpr size_t kLongestCharacter = 4;
  char place[512];
  size_t size = 0;
  if (napi_get_value_string_utf8(value.Env(), value, place, sizeof place, &size) != napi_ok) return "";
  // Cut, if it is, before a character that had no room any more.
  if (size + kLongestCharacter < sizeof place) return std::string(place, size);
  return value.As<Napi::String>().Utf8Value();
}

// As WTF-8 (text/utf16.h): half a surrogate pair, which Windows allows in any string, is kept.
std::string ToText(const Napi::Value& value) {
  std::string utf8 = ToUtf8(value);
  // Node-API writes U+FFFD for such a half; text that has none of those is complete.
  if (utf8.find("\xef\xbf\xbd") == std::string::npos) return utf8;
  return Wtf8FromUtf16(value.As<Napi::String>().Utf16Value());
}

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

// ---- a packed request: lib/native/pack-request.ts ----

enum Number : size_t {
  kId,
  kFlags,
  kStdin,
  kStdinDescriptor,
  kStdout,                // and five more of it: flags, head, tail, kill above, descriptor
  kStderr = kStdout + 6,  // likewise
  kTimeout = kStderr + 6,
  kIdleTimeout,
  kKillSignal,
  kForceKillAfter,
  kLingering,
  kDrainTimeout,
  kContainment,
  kRequire,
  kNumberCount,
};

constexpr unsigned kProgress = 1;
constexpr unsigned kHostEnv = 2;
constexpr unsigned kResolveShims = 4;
constexpr unsigned kHostSession = 8;
constexpr unsigned kOutlivesHost = 16;
constexpr unsigned kAppend = 1;
constexpr unsigned kTee = 2;

// The strings of a block, each ended by a NUL; empty ones after the last.
class Strings {
 public:
  explicit Strings(const std::string& block) : at_(block.data()), end_(at_ + block.size()) {}
  std::string Next() {
    if (at_ == end_) return "";
    std::string text(at_);
    at_ += std::min(text.size() + 1, static_cast<size_t>(end_ - at_));
    return text;
  }
  std::optional<std::string> NextIfAny() {
    std::string text = Next();
    if (text.empty()) return std::nullopt;
    return text;
  }

 private:
  const char* at_;
  const char* end_;
};

// The enumerator of that number; false when there is none up to `last`.
template <typename Enum>
bool ToEnum(double number, Enum last, Enum& into) {
  if (!(number >= 0 && number <= static_cast<double>(last))) return false;
  into = static_cast<Enum>(static_cast<int>(number));
  return true;
}

bool DecodeOutput(const double* numbers, Strings& paths, OutputSpec& spec) {
  if (!ToEnum(numbers[0], OutputSpec::Kind::kHandOver, spec.kind)) return false;
  const auto flags = static_cast<unsigned>(numbers[1]);
  std::optional<std::string> path = paths.NextIfAny();
  spec.append = (flags & kAppend) != 0;
  if (spec.kind == OutputSpec::Kind::kCollect) {
    spec.head = ByteCount(numbers[2]);
    spec.tail = ByteCount(numbers[3]);
    spec.kill_above = ByteCount(numbers[4]);
  }
  if (spec.kind == OutputSpec::Kind::kDescriptor) spec.descriptor = static_cast<int>(numbers[5]);
  const bool needs_path = spec.kind == OutputSpec::Kind::kFile || (flags & kTee) != 0;
  if (needs_path != path.has_value()) return false;
  if (spec.kind == OutputSpec::Kind::kFile) {
    spec.path = std::move(*path);
  } else {
    spec.tee = std::move(path);
  }
  return true;
}

// Where the elements of a typed array are, and how many. In one call: node-addon-api makes one for each property.
struct Elements {
  void* data = nullptr;
  size_t count = 0;
};

std::optional<Elements> ViewElements(const Napi::Value& value, napi_typedarray_type wanted) {
  napi_typedarray_type type;
  Elements found;
  const napi_status status =
      napi_get_typedarray_info(value.Env(), value, &type, &found.count, &found.data, nullptr, nullptr);
  if (status != napi_ok || type != wanted) return std::nullopt;
  return found;
}

std::optional<std::string> DecodeArgv(const Napi::Value& value) {
  if (value.IsString()) return ToText(value);
  const std::optional<BytesView> bytes = ViewBytes(value);
  if (!bytes) return std::nullopt;
  return std::string(reinterpret_cast<const char*>(bytes->data), bytes->size);
}

bool DecodeNumbers(const double* numbers, Request& request) {
  const auto flags = static_cast<unsigned>(numbers[kFlags]);
  request.id = static_cast<uint64_t>(numbers[kId]);
  request.progress = (flags & kProgress) != 0;
  request.resolve_shims = (flags & kResolveShims) != 0;
  request.host_session = (flags & kHostSession) != 0;
  request.outlives_host = (flags & kOutlivesHost) != 0;
  request.input.descriptor = static_cast<int>(numbers[kStdinDescriptor]);
  request.timeout = NanosecondsOrNever(numbers[kTimeout]);
  request.idle_timeout = NanosecondsOrNever(numbers[kIdleTimeout]);
  request.kill_signal = static_cast<int>(numbers[kKillSignal]);
  request.force_kill_after = Nanoseconds(numbers[kForceKillAfter]);
  request.drain_timeout = Nanoseconds(numbers[kDrainTimeout]);
  return ToEnum(numbers[kStdin], StdinSpec::Kind::kHandOver, request.input.kind) &&
         ToEnum(numbers[kLingering], Lingering::kWait, request.lingering) &&
         ToEnum(numbers[kContainment], TreeStrength::kTree, request.containment) &&
         ToEnum(numbers[kRequire], TreeStrength::kTree, request.required);
}

// Text as UTF-8, or a copy of bytes.
std::optional<Bytes> DecodeData(const Napi::Value& value) {
  Bytes bytes;
  if (value.IsString()) {
    // Written straight into the block: a large text is not held twice.
    size_t size = 0;
    if (napi_get_value_string_utf8(value.Env(), value, nullptr, 0, &size) != napi_ok) return std::nullopt;
    if (!bytes.Reserve(size + 1, size + 1)) return std::nullopt;
    bytes.Populate(size + 1);
    size_t written = 0;
    napi_get_value_string_utf8(value.Env(), value, reinterpret_cast<char*>(bytes.end()), size + 1, &written);
    bytes.Advance(written);
    return bytes;
  }
  const std::optional<BytesView> view = ViewBytes(value);
  if (!view || !bytes.Reserve(view->size, view->size) || !bytes.Append(view->data, view->size)) return std::nullopt;
  return bytes;
}

}  // namespace

std::optional<BytesView> ViewBytes(const Napi::Value& value) {
  const std::optional<Elements> bytes = ViewElements(value, napi_uint8_array);
  if (!bytes) return std::nullopt;
  return BytesView{static_cast<const uint8_t*>(bytes->data), bytes->count};
}

std::optional<Request> DecodeRequest(const Napi::CallbackInfo& info) {
  const std::optional<Elements> array = ViewElements(info[1], napi_float64_array);
  if (!info[0].IsString() || !array || array->count != kNumberCount || !info[3].IsString()) return std::nullopt;
  const auto* numbers = static_cast<const double*>(array->data);

  Request request;
  if (!DecodeNumbers(numbers, request)) return std::nullopt;
  const std::string text = ToText(info[0]);
  Strings paths(text);
  request.program = paths.Next();
  request.base = paths.NextIfAny();
  request.cwd = paths.NextIfAny();
  request.input.path = paths.Next();
  if (!DecodeOutput(numbers + kStdout, paths, request.output)) return std::nullopt;
  if (!DecodeOutput(numbers + kStderr, paths, request.error)) return std::nullopt;

  std::optional<std::string> argv = DecodeArgv(info[2]);
  if (!argv) return std::nullopt;
  request.argv = std::move(*argv);
  const bool host_env = (static_cast<unsigned>(numbers[kFlags]) & kHostEnv) != 0;
  request.env = MergeEnvironment(host_env ? HostEnvironment() : std::string(), ToText(info[3]), GetFeatures().upcase);
  if (request.input.kind == StdinSpec::Kind::kData) {
    std::optional<Bytes> data = DecodeData(info[4]);
    if (!data) return std::nullopt;
    request.input.data = std::move(*data);
  }
  return request;
}

std::optional<ResolveQuery> DecodeResolve(const Napi::CallbackInfo& info) {
  if (!info[0].IsNumber() || !info[1].IsString()) return std::nullopt;
  ResolveQuery query;
  query.id = static_cast<uint64_t>(info[0].As<Napi::Number>().DoubleValue());
  query.program = ToText(info[1]);
  if (info[2].IsString()) query.base = ToText(info[2]);
  if (info[3].IsString()) query.path = ToText(info[3]);
  return query;
}

}  // namespace argv_spawn
