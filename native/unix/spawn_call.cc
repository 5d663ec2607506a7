#include "unix/spawn_call.h"

#include <signal.h>
#include <spawn.h>

#include <cstring>

#include "unix/descriptors.h"

#ifndef POSIX_SPAWN_CLOEXEC_DEFAULT
#include "unix/vfork_exec.h"

// glibc 2.29 and 2.34. Weak, so that the addon still loads where the C library lacks them.
extern "C" int posix_spawn_file_actions_addfchdir_np(posix_spawn_file_actions_t*, int) __attribute__((weak));
extern "C" int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t*, int) __attribute__((weak));
#endif

namespace argv_spawn {

namespace {

class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

class Attributes {
 public:
  Attributes() { posix_spawnattr_init(&attributes_); }
  ~Attributes() { posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  posix_spawnattr_t* get() { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

void SetAttributes(Attributes& attributes, bool new_session) {
  // Filled byte by byte: sigfillset leaves out the two signals of the C library, and glibc would then set those to
  // "ignore" in the child (sysdeps/unix/sysv/linux/spawni.c), where they are ordinary numbers.
  sigset_t every;
  std::memset(&every, 0xff, sizeof every);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigdefault(attributes.get(), &every);
  posix_spawnattr_setsigmask(attributes.get(), &none);
  int flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
  if (new_session) flags |= POSIX_SPAWN_SETSID;
#ifdef POSIX_SPAWN_CLOEXEC_DEFAULT
  flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
#endif
  posix_spawnattr_setflags(attributes.get(), static_cast<short>(flags));
}

void CloseFrom(FileActions& actions, int first) {
#ifndef POSIX_SPAWN_CLOEXEC_DEFAULT
  if (HasCloseFrom()) {
    posix_spawn_file_actions_addclosefrom_np(actions.get(), first);
    return;
  }
  // A descriptor that another thread opens after this list was made is not in it: those opened close-on-exec do not
  // matter, and there is no better way before glibc 2.34.
  for (const int fd : OpenDescriptors()) {
    if (fd >= first) posix_spawn_file_actions_addclose(actions.get(), fd);
  }
#else
  (void)actions;
  (void)first;
#endif
}

}  // namespace

bool HasCloseFrom() {
#ifdef POSIX_SPAWN_CLOEXEC_DEFAULT
  return true;  // macOS: a flag, and no list of descriptors either
#else
  return posix_spawn_file_actions_addclosefrom_np != nullptr;
#endif
}

int SpawnOnce(pid_t& pid, const SpawnCall& call, const std::vector<char*>& argv, const std::vector<char*>& env) {
#ifndef POSIX_SPAWN_CLOEXEC_DEFAULT
  if (call.cwd >= 0 && posix_spawn_file_actions_addfchdir_np == nullptr) return VforkSpawn(pid, call, argv, env);
#endif
  FileActions actions;
  if (call.cwd >= 0) posix_spawn_file_actions_addfchdir_np(actions.get(), call.cwd);
  for (size_t i = 0; i < call.fds.size(); i++) {
    posix_spawn_file_actions_adddup2(actions.get(), call.fds[i], static_cast<int>(i));
  }
  CloseFrom(actions, static_cast<int>(call.fds.size()));
  Attributes attributes;
  SetAttributes(attributes, call.new_session);
  return posix_spawn(&pid, call.path.c_str(), actions.get(), attributes.get(), argv.data(), env.data());
}

}  // namespace argv_spawn
