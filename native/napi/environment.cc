#include "napi/environment.h"

#include <algorithm>
#include <utility>

#include "napi/encode.h"

namespace argv_spawn {

// ---- MailboxSink ----

bool MailboxSink::Open(Napi::Env env, Environment* owner, const Napi::Function& placeholder) {
  napi_value name;
  if (napi_create_string_utf8(env, "argv-spawn", NAPI_AUTO_LENGTH, &name) != napi_ok) return false;
  std::lock_guard<std::mutex> lock(mutex_);
  const napi_status status =
      napi_create_threadsafe_function(env, placeholder, nullptr, name, 0, 1, nullptr, nullptr, owner, Call, &function_);
  if (status != napi_ok) {
    function_ = nullptr;
    return false;
  }
  // Idle, it must not keep the event loop alive.
  napi_unref_threadsafe_function(env, function_);
  return true;
}

// Any native thread.
void MailboxSink::Post(Event event, bool wake) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (function_ == nullptr) return;
  events_.push_back(std::move(event));
  if (wake) Schedule();
}

// Any native thread.
void MailboxSink::Wake() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (function_ != nullptr && !events_.empty()) Schedule();
}

// One call for everything that has gathered when it runs. Refused only while the environment closes.
void MailboxSink::Schedule() {
  if (scheduled_) return;
  scheduled_ = napi_call_threadsafe_function(function_, nullptr, napi_tsfn_nonblocking) == napi_ok;
}

std::vector<Event> MailboxSink::TakeAll() {
  std::lock_guard<std::mutex> lock(mutex_);
  scheduled_ = false;
  return std::move(events_);
}

void MailboxSink::Call(napi_env env, napi_value, void* context, void*) {
  if (env == nullptr) return;  // the environment is going away
  static_cast<Environment*>(context)->Deliver(env);
}

void MailboxSink::Close() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (function_ == nullptr) return;
  napi_release_threadsafe_function(function_, napi_tsfn_abort);
  function_ = nullptr;
  events_.clear();
}

void MailboxSink::SetRef(Napi::Env env, bool on) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (function_ == nullptr) return;
  if (on) {
    napi_ref_threadsafe_function(env, function_);
  } else {
    napi_unref_threadsafe_function(env, function_);
  }
}

// ---- Environment ----

Environment::Environment(Napi::Env env) {
  // A hook may be registered once per argument: `this` is new for every load into an environment, so loading twice is
  // fine. Hooks run in the reverse order of their registration, and the threadsafe function of Open registers its own
  // later: ours then finds it closing, which Post and Close allow for.
  napi_add_env_cleanup_hook(env, OnTeardown, this);
}

Environment::~Environment() = default;

void Environment::OnTeardown(void* environment) { static_cast<Environment*>(environment)->EndAll(); }

void Environment::EndAll() {
  if (sink_) sink_->Close();
  for (auto& [id, one] : pending_) {
    if (one.run) one.run->Abandon();
  }
  pending_.clear();
}

Napi::Value Environment::Open(Napi::Env env, const Napi::Function& on_events) {
  if (sink_) {
    Napi::Error::New(env, "open was called before in this environment").ThrowAsJavaScriptException();
    return env.Undefined();
  }
  auto sink = std::make_shared<MailboxSink>();
  const auto nothing = Napi::Function::New(env, [](const Napi::CallbackInfo&) {});
  if (!sink->Open(env, this, nothing)) {
    Napi::Error::New(env, "no threadsafe function to be had").ThrowAsJavaScriptException();
    return env.Undefined();
  }
  sink_ = std::move(sink);
  on_events_ = Napi::Persistent(on_events);
  events_.emplace(env);
  return events_->numbers();
}

void Environment::Expect(Napi::Env env, uint64_t id, std::shared_ptr<RunControl> run) {
  pending_[id].run = std::move(run);
  referenced_++;
  UpdateRef(env);
}

void Environment::Forget(uint64_t id) {
  const auto found = pending_.find(id);
  if (found == pending_.end()) return;
  if (found->second.referenced) referenced_--;
  pending_.erase(found);
}

void Environment::SetRef(Napi::Env env, uint64_t id, bool on) {
  const auto found = pending_.find(id);
  if (found == pending_.end() || found->second.referenced == on) return;
  found->second.referenced = on;
  if (on) {
    referenced_++;
  } else {
    referenced_--;
  }
  UpdateRef(env);
}

void Environment::UpdateRef(Napi::Env env) {
  const bool wanted = referenced_ > 0;
  if (wanted == keeps_alive_ || !sink_) return;
  keeps_alive_ = wanted;
  sink_->SetRef(env, wanted);
}

void Environment::Start(Napi::Env env, Request request) {
  const uint64_t id = request.id;
  Expect(env, id, StartRun(std::move(request), sink_));
}

Result<Started> Environment::StartHere(Napi::Env env, Request request) {
  const uint64_t id = request.id;
  Result<Started> started = StartRunHere(std::move(request), sink_);
  if (started.ok()) Expect(env, id, started.value().run);
  return started;
}

void Environment::Resolve(Napi::Env env, ResolveQuery query) {
  const uint64_t id = query.id;
  StartResolve(std::move(query), sink_);
  Expect(env, id, nullptr);
}

RunControl* Environment::Find(uint64_t id) {
  const auto found = pending_.find(id);
  return found == pending_.end() ? nullptr : found->second.run.get();
}

void Environment::Deliver(Napi::Env env) {
  std::vector<Event> events = sink_->TakeAll();
  for (size_t first = 0; first < events.size(); first += EventTable::kBatchRows) {
    Napi::HandleScope scope(env);
    const size_t count = std::min(EventTable::kBatchRows, events.size() - first);
    Napi::Array values = Napi::Array::New(env);
    for (size_t row = 0; row < count; row++) {
      Event& event = events[first + row];
      if (event.terminal()) Forget(event.id);
      events_->Write(env, std::move(event), row, values);
    }
    // MakeCallback, so that ticks and microtasks run after it as after any callback of the event loop. An exception
    // that escapes the dispatcher is the host's uncaught exception.
    on_events_.MakeCallback(env.Global(), {Napi::Number::New(env, static_cast<double>(count)), values});
  }
  // Not before: what was awaited has often started the next by now.
  UpdateRef(env);
}

}  // namespace argv_spawn
