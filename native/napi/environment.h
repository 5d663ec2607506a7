// One JavaScript environment (the main thread, or a worker): its callback, its runs, its end.
//
// Events come from native threads into a mailbox; one call of a threadsafe function empties it. Events of a blocking
// call go to a waiting thread instead (WaitingSink).
#pragma once

#include <napi.h>

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/engine.h"
#include "napi/outcome_table.h"

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

// For the blocking call: any thread posts, one thread waits for the last event.
class WaitingSink final : public Sink {
 public:
  void Post(Event event, bool wake) override;
  void Wake() override {}
  Event Wait();

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::optional<Event> last_;
};

// JS thread only.
class Environment {
 public:
  explicit Environment(Napi::Env env);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  // The numbers of finished runs (OutcomeTable); empty when it threw.
  Napi::Value Open(Napi::Env env, const Napi::Function& on_events);
  bool is_open() const { return static_cast<bool>(sink_); }
  void SetRef(Napi::Env env, bool on);

  void Start(Request request);
  Result<Started> StartHere(Request request);
  void Resolve(ResolveQuery query);
  RunControl* Find(uint64_t id);
  void Deliver(Napi::Env env);
  OutcomeTable& outcomes() { return *outcomes_; }

 private:
  static void OnTeardown(void* environment);
  void EndAll();

  std::shared_ptr<MailboxSink> sink_;
  Napi::FunctionReference on_events_;
  std::optional<OutcomeTable> outcomes_;
  std::map<uint64_t, std::shared_ptr<RunControl>> runs_;
};

}  // namespace argv_spawn
