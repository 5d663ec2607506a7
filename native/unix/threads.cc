#include "unix/threads.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <memory>

namespace argv_spawn {

namespace {

constexpr size_t kStackSize = 512 * 1024;

struct Start {
  const char* name;
  std::function<void()> main;
};

void* Run(void* argument) {
  std::unique_ptr<Start> start(static_cast<Start*>(argument));
#ifdef __APPLE__
  pthread_setname_np(start->name);
#else
  pthread_setname_np(pthread_self(), start->name);
#endif
  start->main();
  return nullptr;
}

}  // namespace

int StartThread(const char* name, std::function<void()> main) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, kStackSize);
  // Blocked before it exists, so that no handler of the host ever runs on it.
  sigset_t every;
  sigset_t before;
  sigfillset(&every);
  pthread_sigmask(SIG_SETMASK, &every, &before);
  auto start = std::make_unique<Start>(Start{name, std::move(main)});
  pthread_t thread;
  const int error = pthread_create(&thread, &attributes, Run, start.get());
  if (error == 0) start.release();  // owned by the thread now
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return error;
}

#ifdef SCHED_BATCH
DeferentialWait::DeferentialWait() {
  sched_param param{};
  int policy = 0;
  if (pthread_getschedparam(pthread_self(), &policy, &param) != 0 || policy != SCHED_OTHER) return;
  changed_ = pthread_setschedparam(pthread_self(), SCHED_BATCH, &param) == 0;
}

DeferentialWait::~DeferentialWait() {
  const sched_param param{};
  if (changed_) pthread_setschedparam(pthread_self(), SCHED_OTHER, &param);
}
#else
DeferentialWait::DeferentialWait() = default;
DeferentialWait::~DeferentialWait() = default;
#endif

void PinLibrary() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&PinLibrary), &info) == 0 || info.dli_fname == nullptr) return;
  dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);  // never closed: that is the point
}

}  // namespace argv_spawn
