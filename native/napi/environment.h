// One JavaScript environment (the main thread, or a worker): its callback, its runs, its end.
//
// Events come from native threads into a mailbox; one call of a threadsafe function empties it. A blocking call has but
// one, which it returns.
#pragma once

#include <napi.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/engine.h"
#include "napi/event_table.h"

namespace argv_spawn {

class Environment;

// Outlives the environment as long as a run refers to it; then it only swallows.
class MailboxSink final : public Sink {
 public:
  // JS thread. False: no threadsafe function to be had.
  bool Open(Napi::Env env, Environment* owner, const Napi::Function& placeholder);
  void Post(Event event, bool wake) override;
  void Wake() override;
  // JS thread. Nothing is delivered afterwards.
  void Close();
  void SetRef(Napi::Env env, bool on);
  std::vector<Event> TakeAll();

 private:
  static void Call(napi_env env, napi_value function, void* context, void* data);
  void Schedule();  // mutex_ held

  std::mutex mutex_;
  std::vector<Event> events_;
  bool scheduled_ = false;
  napi_threadsafe_function function_ = nullptr;  // nullptr once closed
};

// JS thread only.
class Environment {
 public:
  explicit Environment(Napi::Env env);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  // The numbers of events (EventTable); empty when it threw.
  Napi::Value Open(Napi::Env env, const Napi::Function& on_events);
  bool is_open() const { return static_cast<bool>(sink_); }

  // Whatever has been asked for keeps the event loop alive until its last event.
  void Start(Napi::Env env, Request request);
  Result<Started> StartHere(Napi::Env env, Request request);
  void Resolve(Napi::Env env, ResolveQuery query);
  // Whether this one does.
  void SetRef(Napi::Env env, uint64_t id, bool on);
  RunControl* Find(uint64_t id);
  void Deliver(Napi::Env env);
  EventTable& events() { return *events_; }

 private:
  struct Pending {
    std::shared_ptr<RunControl> run;  // empty for a lookup
    bool referenced = true;
  };

  static void OnTeardown(void* environment);
  void EndAll();
  void Expect(Napi::Env env, uint64_t id, std::shared_ptr<RunControl> run);
  void Forget(uint64_t id);
  void UpdateRef(Napi::Env env);

  std::shared_ptr<MailboxSink> sink_;
  Napi::FunctionReference on_events_;
  std::optional<EventTable> events_;
  std::map<uint64_t, Pending> pending_;
  size_t referenced_ = 0;  // of pending_
  bool keeps_alive_ = false;
};

}  // namespace argv_spawn
