// The order of things, and why:
//  1. the program is looked up here, against the child's PATH: exec then gets an absolute path and cannot search;
//  2. the folder is opened and the child enters it by descriptor: its error is its own, and check and use are one;
//  3. pipes are close-on-exec from birth, and the child's ends are moved above 2, so that no dup2 meets its own source;
//  4. posix_spawn with SETSID (never with SETPGROUP: together they fail with EPERM), every signal to its default, an
//     empty mask, everything above 2 closed;
//  5. an error is explained by looking at the file (diagnose.cc).
#include "unix/spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "unix/descriptors.h"
#include "unix/diagnose.h"
#include "unix/limits.h"
#include "unix/os_error.h"
#include "unix/program.h"
#include "unix/strings.h"

// glibc 2.34. Weak, so that the addon still loads where the C library lacks it.
extern "C" int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t*, int) __attribute__((weak));

namespace argv_spawn {

namespace {

// ETXTBSY: another thread's half-started child may still hold the file open for writing (golang/go#22315). It goes
// away by itself as soon as that child has exec'ed, so waiting is right, but not for ever.
constexpr int kBusyRetries = 8;  // 1 + 2 + ... + 128 ms

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

// What the child gets as descriptor 0, 1 or 2, and what we keep.
struct Stdio {
  UniqueFd child[3];
  UniqueFd ours[3];
};

const char* StreamName(int stream) { return stream == 0 ? "stdin" : stream == 1 ? "stdout" : "stderr"; }

Failure SetupFailure(const char* call, int stream, std::string path, int error) {
  Failure failure = OsFailure(Stage::kSetup, call, StreamName(stream), std::move(path), error);
  if (error == EMFILE || error == ENFILE) failure.detail = DescribeResourceLimits();
  return failure;
}

// `flags` without O_CLOEXEC; a terminal never becomes ours by being opened.
Result<UniqueFd> OpenFor(int stream, const std::string& path, int flags) {
  int fd;
  do {
    fd = open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY, 0666);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return SetupFailure("open", stream, path, errno);
  return MoveAboveStdio(UniqueFd(fd), stream);
}

Result<UniqueFd> Inherit(int stream) {
  const int fd = fcntl(stream, F_DUPFD_CLOEXEC, 3);
  if (fd < 0) return SetupFailure("fcntl", stream, "", errno);
  return UniqueFd(fd);
}

std::optional<Failure> MakePipe(int stream, Stdio& stdio) {
  Result<PipeEnds> ends = OpenPipe(stream);
  if (!ends.ok()) return std::move(ends.failure());
  UniqueFd& child = stream == 0 ? ends.value().read : ends.value().write;
  UniqueFd& ours = stream == 0 ? ends.value().write : ends.value().read;
  stdio.child[stream] = std::move(child);
  stdio.ours[stream] = std::move(ours);
  return std::nullopt;
}

std::optional<Failure> Place(Result<UniqueFd> opened, UniqueFd& into) {
  if (!opened.ok()) return std::move(opened.failure());
  into = std::move(opened.value());
  return std::nullopt;
}

std::optional<Failure> PrepareInput(const StdinSpec& spec, Stdio& stdio) {
  switch (spec.kind) {
    case StdinSpec::Kind::kIgnore:
      return Place(OpenFor(0, "/dev/null", O_RDONLY), stdio.child[0]);
    case StdinSpec::Kind::kFile:
      return Place(OpenFor(0, spec.path, O_RDONLY), stdio.child[0]);
    case StdinSpec::Kind::kInherit:
      return Place(Inherit(0), stdio.child[0]);
    case StdinSpec::Kind::kData:
    case StdinSpec::Kind::kStream:
      return MakePipe(0, stdio);
  }
  return std::nullopt;
}

std::optional<Failure> PrepareOutput(int stream, const OutputSpec& spec, Stdio& stdio) {
  switch (spec.kind) {
    case OutputSpec::Kind::kIgnore:
      return Place(OpenFor(stream, "/dev/null", O_WRONLY), stdio.child[stream]);
    case OutputSpec::Kind::kFile:
      return Place(OpenFor(stream, spec.path, O_WRONLY | O_CREAT | (spec.append ? O_APPEND : O_TRUNC)),
                   stdio.child[stream]);
    case OutputSpec::Kind::kInherit:
      return Place(Inherit(stream), stdio.child[stream]);
    case OutputSpec::Kind::kCollect:
    case OutputSpec::Kind::kStream:
      return MakePipe(stream, stdio);
    case OutputSpec::Kind::kSameAsStdout:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Failure> OpenTee(int stream, const OutputSpec& spec, UniqueFd& into) {
  if (!spec.tee) return std::nullopt;
  return Place(OpenFor(stream, *spec.tee, O_WRONLY | O_CREAT | O_TRUNC), into);
}

Result<UniqueFd> OpenCwd(const std::string& cwd) {
#ifdef O_PATH
  constexpr int kAccess = O_PATH;  // needs no read permission, as chdir needs none
#else
  constexpr int kAccess = O_RDONLY;
#endif
  UniqueFd fd(open(cwd.c_str(), kAccess | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return DiagnoseCwd(cwd, "open", errno);
  if (faccessat(fd.get(), ".", X_OK, AT_EACCESS) != 0) return DiagnoseCwd(cwd, "fchdir", errno);
  return MoveAboveStdio(std::move(fd), -1);
}

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

void CloseTheRest(FileActions& actions) {
#ifndef POSIX_SPAWN_CLOEXEC_DEFAULT
  if (HasCloseFrom()) {
    posix_spawn_file_actions_addclosefrom_np(actions.get(), 3);
    return;
  }
  // A descriptor that another thread opens after this list was made is not in it: those opened close-on-exec do not
  // matter, and there is no better way before glibc 2.34.
  for (const int fd : OpenDescriptors()) {
    if (fd > 2) posix_spawn_file_actions_addclose(actions.get(), fd);
  }
#else
  (void)actions;
#endif
}

void SleepMs(int milliseconds) {
  timespec span{milliseconds / 1000, (milliseconds % 1000) * 1'000'000L};
  while (nanosleep(&span, &span) != 0 && errno == EINTR) {
  }
}

int SpawnWithRetry(pid_t& pid, const std::string& program, FileActions& actions, Attributes& attributes,
                   const std::vector<char*>& argv, const std::vector<char*>& env) {
  int error = 0;
  for (int attempt = 0; attempt <= kBusyRetries; attempt++) {
    error = posix_spawn(&pid, program.c_str(), actions.get(), attributes.get(), argv.data(), env.data());
    if (error != ETXTBSY || attempt == kBusyRetries) break;
    SleepMs(1 << attempt);
  }
  return error;
}

}  // namespace

bool HasCloseFrom() { return posix_spawn_file_actions_addclosefrom_np != nullptr; }

Result<Launched> Launch(Request& request) {
  Launched launched;
  const std::string_view path = FindInEnvironment(request.env, "PATH");
  ProgramQuery query{request.program, request.base, std::nullopt};
  if (path.data() != nullptr) query.path = path;
  Result<std::string> program = FindProgram(query);
  if (!program.ok()) return std::move(program.failure());
  launched.program = std::move(program.value());

  UniqueFd cwd;
  if (request.cwd) {
    Result<UniqueFd> opened = OpenCwd(*request.cwd);
    if (!opened.ok()) return std::move(opened.failure());
    cwd = std::move(opened.value());
  }

  const std::vector<char*> argv = PointersInto(request.argv);
  const std::vector<char*> env = PointersInto(request.env);
  if (auto failure = CheckExecLimits(argv, env, launched.program)) return std::move(*failure);

  Stdio stdio;
  if (auto failure = PrepareInput(request.input, stdio)) return std::move(*failure);
  if (auto failure = PrepareOutput(1, request.output, stdio)) return std::move(*failure);
  if (auto failure = PrepareOutput(2, request.error, stdio)) return std::move(*failure);
  if (auto failure = OpenTee(1, request.output, launched.output_tee)) return std::move(*failure);
  if (auto failure = OpenTee(2, request.error, launched.error_tee)) return std::move(*failure);

  FileActions actions;
  if (cwd) posix_spawn_file_actions_addfchdir_np(actions.get(), cwd.get());
  for (int stream = 0; stream < 3; stream++) {
    const bool merged = stream == 2 && request.error.kind == OutputSpec::Kind::kSameAsStdout;
    posix_spawn_file_actions_adddup2(actions.get(), merged ? 1 : stdio.child[stream].get(), stream);
  }
  CloseTheRest(actions);

  // A child that reads our terminal must stay in our session, or job control would stop it.
  launched.leads_group = !(request.input.kind == StdinSpec::Kind::kInherit && isatty(0) == 1);
  Attributes attributes;
  SetAttributes(attributes, launched.leads_group);

  const int error = SpawnWithRetry(launched.pid, launched.program, actions, attributes, argv, env);
  if (error == E2BIG) return ExecTooLong(argv, env, launched.program);
  if (error != 0) return DiagnoseExec(launched.program, error);
  launched.input = std::move(stdio.ours[0]);
  launched.output = std::move(stdio.ours[1]);
  launched.error = std::move(stdio.ours[2]);
  return launched;
}

}  // namespace argv_spawn
