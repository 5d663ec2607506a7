// The order of things, and why:
//  1. the program is looked up here, against the child's PATH: exec then gets an absolute path and cannot search;
//  2. the folder is opened and the child enters it by descriptor: its error is its own, and check and use are one;
//  3. pipes are close-on-exec from birth;
//  4. the program is started under a keeper where a tree is asked for and can be had, and directly otherwise
//     (keeper_start.cc, spawn_call.cc);
//  5. an error is explained by looking at the file (diagnose.cc).
#include "unix/spawn.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <utility>
#include <vector>

#include "unix/child_process.h"
#include "unix/descriptors.h"
#include "unix/diagnose.h"
#include "unix/group_tree.h"
#include "unix/keeper_file.h"
#include "unix/keeper_start.h"
#include "unix/limits.h"
#include "unix/os_error.h"
#include "unix/program.h"
#include "unix/spawn_call.h"
#include "unix/strings.h"

namespace argv_spawn {

namespace {

// ETXTBSY: another thread's half-started child may still hold the file open for writing (golang/go#22315). It goes
// away by itself as soon as that child has exec'ed, so waiting is right, but not for ever.
constexpr int kBusyRetries = 8;  // 1 + 2 + ... + 128 ms

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

// `descriptor` of the host, as `stream` of the child.
Result<UniqueFd> Inherit(int stream, int descriptor) {
  const int fd = fcntl(descriptor, F_DUPFD_CLOEXEC, kFirstFree);
  if (fd < 0) return SetupFailure("fcntl", stream, "", errno);
  return UniqueFd(fd);
}

// Programs expect standard streams that block, and whoever handed this one out may have read it without blocking.
Result<UniqueFd> InheritBlocking(int stream, int descriptor) {
  Result<UniqueFd> inherited = Inherit(stream, descriptor);
  if (!inherited.ok()) return inherited;
  const int flags = fcntl(inherited.value().get(), F_GETFL);
  if (flags >= 0 && (flags & O_NONBLOCK) != 0) fcntl(inherited.value().get(), F_SETFL, flags & ~O_NONBLOCK);
  return inherited;
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
      return Place(Inherit(0, 0), stdio.child[0]);
    case StdinSpec::Kind::kDescriptor:
      return Place(InheritBlocking(0, spec.descriptor), stdio.child[0]);
    case StdinSpec::Kind::kData:
    case StdinSpec::Kind::kStream:
    case StdinSpec::Kind::kHandOver:
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
      return Place(Inherit(stream, stream), stdio.child[stream]);
    case OutputSpec::Kind::kDescriptor:
      return Place(InheritBlocking(stream, spec.descriptor), stdio.child[stream]);
    case OutputSpec::Kind::kCollect:
    case OutputSpec::Kind::kStream:
    case OutputSpec::Kind::kHandOver:
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
  return MoveAboveStdio(std::move(fd), kNoStream);
}

void SleepMs(int milliseconds) {
  timespec span{milliseconds / 1000, (milliseconds % 1000) * 1'000'000L};
  while (nanosleep(&span, &span) != 0 && errno == EINTR) {
  }
}

// What is started, whichever way.
struct Start {
  Request& request;
  SpawnCall call;
  std::vector<char*> argv;
  std::vector<char*> env;
};

Failure Refuse(const KeeperFile& keeper, const std::string& why) {
  Failure failure = OsFailure(Stage::kContainment, "posix_spawn", "host", keeper.path, 0);
  failure.code = "ERR_CONTAINMENT";
  failure.detail = "containment 'tree' is required and the keeper cannot be used: " + why;
  return failure;
}

// errno, or 0 and the tree; a failure when something else than exec or fork is at fault.
Result<int> StartOnce(Start& start, std::unique_ptr<Tree>& tree) {
  Request& request = start.request;
  const bool wants_keeper = request.containment == TreeStrength::kTree && start.call.new_session;
  const KeeperFile& keeper = GetKeeperFile();
  if (wants_keeper) {
    std::string why = keeper.problem;
    if (why.empty()) {
      KeeperAnswer answer = StartUnderKeeper(keeper.path, start.call, start.argv, start.env);
      if (answer.failure) return std::move(*answer.failure);
      if (!answer.unusable) {
        tree = std::move(answer.tree);
        return answer.error;
      }
      why = answer.error == 0 ? "it belongs to another version" : ErrnoName(answer.error);
    }
    if (request.required == TreeStrength::kTree) return Refuse(keeper, why);
  }
  pid_t pid = 0;
  const int error = SpawnOnce(pid, start.call, start.argv, start.env);
  if (error == 0) {
    const bool contain = request.containment != TreeStrength::kNone;
    tree = std::make_unique<GroupTree>(ChildProcess(pid, start.call.new_session), contain);
  }
  return error;
}

// posix_spawn does not say which step was refused. "/" is no program, so exec answers EACCES where it is reached at
// all.
bool MakesNoProcess(const Start& start, int error) {
  if (error != EPERM && error != ENOSYS) return false;
  SpawnCall call = start.call;
  call.path = "/";
  pid_t pid = 0;
  return SpawnOnce(pid, call, start.argv, start.env) == error;
}

Result<int> StartWithRetry(Start& start, std::unique_ptr<Tree>& tree) {
  for (int attempt = 0;; attempt++) {
    Result<int> error = StartOnce(start, tree);
    if (!error.ok() || error.value() != ETXTBSY || attempt == kBusyRetries) return error;
    SleepMs(1 << attempt);
  }
}

}  // namespace

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

  Start start{request, SpawnCall(), PointersInto(request.argv), PointersInto(request.env)};
  if (auto failure = CheckExecLimits(start.argv, start.env, launched.program)) return std::move(*failure);

  Stdio stdio;
  if (auto failure = PrepareInput(request.input, stdio)) return std::move(*failure);
  if (auto failure = PrepareOutput(1, request.output, stdio)) return std::move(*failure);
  if (auto failure = PrepareOutput(2, request.error, stdio)) return std::move(*failure);
  if (auto failure = OpenTee(1, request.output, launched.output_tee)) return std::move(*failure);
  if (auto failure = OpenTee(2, request.error, launched.error_tee)) return std::move(*failure);

  start.call.path = launched.program;
  start.call.cwd = cwd.get();
  const bool merged = request.error.kind == OutputSpec::Kind::kSameAsStdout;
  start.call.fds = {stdio.child[0].get(), stdio.child[1].get(), stdio.child[merged ? 1 : 2].get()};
  // A child that reads our terminal must stay in our session, or job control would stop it.
  start.call.new_session =
      !request.host_session && !(request.input.kind == StdinSpec::Kind::kInherit && isatty(0) == 1);

  Result<int> error = StartWithRetry(start, launched.tree);
  if (!error.ok()) return std::move(error.failure());
  if (error.value() == E2BIG) return ExecTooLong(start.argv, start.env, launched.program);
  if (MakesNoProcess(start, error.value())) return DiagnoseFork(error.value());
  if (error.value() != 0) return DiagnoseExec(launched.program, error.value());
  launched.input = std::move(stdio.ours[0]);
  launched.output = std::move(stdio.ours[1]);
  launched.error = std::move(stdio.ours[2]);
  return launched;
}

}  // namespace argv_spawn
