// The order of things, and why:
//  1. the program is looked up here, against the child's PATH: CreateProcessW gets an absolute path and cannot search;
//  2. the folder is looked at, so that its error is its own;
//  3. the line and the block are made and measured before anything is opened;
//  4. the child's ends of pipes and files are the only inheritable handles, opened last and closed first: the handle
//     list keeps them from our other children, but not from a CreateProcessW elsewhere in this process;
//  5. the job is an attribute of the creation (PROC_THREAD_ATTRIBUTE_JOB_LIST), so that there is no moment in which the
//     child exists outside of it.
#include "win/spawn.h"

#include <windows.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "text/command_line.h"
#include "text/environment_block.h"
#include "text/program_candidates.h"
#include "win/attributes.h"
#include "win/environment.h"
#include "win/os_error.h"
#include "win/pipe_ends.h"
#include "win/program.h"
#include "win/wide.h"

namespace argv_spawn {

namespace {

// CreateProcessW: lpCurrentDirectory may have MAX_PATH characters, its backslash and its NUL included.
constexpr size_t kLongestCwd = MAX_PATH - 2;

struct Stdio {
  UniqueHandle child[3];
  UniqueHandle ours[3];
};

std::optional<Failure> Open(int stream, const std::string& path, DWORD access, DWORD disposition, UniqueHandle& into) {
  const std::wstring name = path == "NUL" ? L"NUL" : LongForm(FullPath(Widen(path)));
  SECURITY_ATTRIBUTES inherit{sizeof inherit, nullptr, TRUE};
  into = UniqueHandle(CreateFileW(name.c_str(), access | FILE_READ_ATTRIBUTES,
                                  FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, &inherit, disposition,
                                  FILE_ATTRIBUTE_NORMAL, nullptr));
  if (into) return std::nullopt;
  return OsFailure(Stage::kSetup, "CreateFileW", StreamName(stream), path, GetLastError());
}

std::optional<Failure> OpenNull(int stream, UniqueHandle& into) {
  return Open(stream, "NUL", stream == 0 ? GENERIC_READ : GENERIC_WRITE, OPEN_EXISTING, into);
}

std::optional<Failure> Inherit(int stream, UniqueHandle& into) {
  const DWORD names[] = {STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};
  const HANDLE ours = GetStdHandle(names[stream]);
  if (ours == nullptr || ours == INVALID_HANDLE_VALUE) return OpenNull(stream, into);  // a host without a console
  HANDLE copy = nullptr;
  if (DuplicateHandle(GetCurrentProcess(), ours, GetCurrentProcess(), &copy, 0, TRUE, DUPLICATE_SAME_ACCESS) == 0) {
    return OsFailure(Stage::kSetup, "DuplicateHandle", StreamName(stream), "", GetLastError());
  }
  into = UniqueHandle(copy);
  return std::nullopt;
}

std::optional<Failure> MakePipe(int stream, Stdio& stdio) {
  Result<PipeEnds> ends = OpenPipe(stream);
  if (!ends.ok()) return std::move(ends.failure());
  stdio.child[stream] = std::move(ends.value().child);
  stdio.ours[stream] = std::move(ends.value().ours);
  return std::nullopt;
}

// The addon's callers keep to what this system has; see contract.ts.
Failure UnixOnly(int stream) {
  return OsFailure(Stage::kSetup, "CreateProcessW", StreamName(stream), "", ERROR_NOT_SUPPORTED);
}

std::optional<Failure> PrepareInput(const StdinSpec& spec, Stdio& stdio) {
  switch (spec.kind) {
    case StdinSpec::Kind::kIgnore:
      return OpenNull(0, stdio.child[0]);
    case StdinSpec::Kind::kFile:
      return Open(0, spec.path, GENERIC_READ, OPEN_EXISTING, stdio.child[0]);
    case StdinSpec::Kind::kInherit:
      return Inherit(0, stdio.child[0]);
    case StdinSpec::Kind::kData:
    case StdinSpec::Kind::kStream:
      return MakePipe(0, stdio);
    case StdinSpec::Kind::kDescriptor:
    case StdinSpec::Kind::kHandOver:
      return UnixOnly(0);
  }
  return std::nullopt;
}

std::optional<Failure> PrepareOutput(int stream, const OutputSpec& spec, Stdio& stdio) {
  switch (spec.kind) {
    case OutputSpec::Kind::kIgnore:
      return OpenNull(stream, stdio.child[stream]);
    case OutputSpec::Kind::kFile:
      // FILE_APPEND_DATA without FILE_WRITE_DATA: every write goes to the end, whoever else writes.
      return Open(stream, spec.path, spec.append ? FILE_APPEND_DATA | SYNCHRONIZE : GENERIC_WRITE,
                  spec.append ? OPEN_ALWAYS : CREATE_ALWAYS, stdio.child[stream]);
    case OutputSpec::Kind::kInherit:
      return Inherit(stream, stdio.child[stream]);
    case OutputSpec::Kind::kCollect:
    case OutputSpec::Kind::kStream:
      return MakePipe(stream, stdio);
    case OutputSpec::Kind::kSameAsStdout:
      return std::nullopt;
    case OutputSpec::Kind::kDescriptor:
    case OutputSpec::Kind::kHandOver:
      return UnixOnly(stream);
  }
  return std::nullopt;
}

std::optional<Failure> OpenTee(int stream, const OutputSpec& spec, UniqueHandle& into) {
  if (!spec.tee) return std::nullopt;
  if (auto failure = Open(stream, *spec.tee, GENERIC_WRITE, CREATE_ALWAYS, into)) return failure;
  SetHandleInformation(into.get(), HANDLE_FLAG_INHERIT, 0);
  return std::nullopt;
}

// The first part of `path` that is not there.
std::wstring FirstMissing(const std::wstring& path) {
  for (size_t at = path.find(L'\\', 3); at != path.npos; at = path.find(L'\\', at + 1)) {
    const std::wstring part = path.substr(0, at);
    if (GetFileAttributesW(part.c_str()) == INVALID_FILE_ATTRIBUTES) return part;
  }
  return path;
}

// The form of 8.3 names, where the volume has them; empty where it has not.
std::wstring ShortForm(const std::wstring& full) {
  const std::wstring extended = LongForm(full);
  std::wstring shorter(extended.size() + 1, L'\0');
  const DWORD size = GetShortPathNameW(extended.c_str(), shorter.data(), static_cast<DWORD>(shorter.size()));
  if (size == 0 || size >= shorter.size()) return L"";
  shorter.resize(size);
  const bool share = shorter.compare(0, 8, L"\\\\?\\UNC\\") == 0;
  if (!share && shorter.compare(0, 4, L"\\\\?\\") == 0) shorter.erase(0, 4);
  return shorter;
}

// A form of the folder that CreateProcessW takes.
Result<std::wstring> PrepareCwd(const std::string& cwd) {
  const std::wstring full = FullPath(Widen(cwd));
  const std::wstring extended = LongForm(full);
  const DWORD attributes = GetFileAttributesW(extended.c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES) {
    Failure failure = OsFailure(Stage::kCwd, "GetFileAttributesW", "cwd", cwd, GetLastError());
    if (failure.code == "ENOENT") failure.detail = Narrow(FirstMissing(full));
    return failure;
  }
  if ((attributes & FILE_ATTRIBUTE_DIRECTORY) == 0) {
    return OsFailure(Stage::kCwd, "GetFileAttributesW", "cwd", cwd, ERROR_DIRECTORY);
  }
  if (full.size() <= kLongestCwd) return full;
  const std::wstring shorter = ShortForm(full);
  if (!shorter.empty() && shorter.size() <= kLongestCwd) return shorter;
  Failure failure = Refusal(Stage::kCwd, "ENAMETOOLONG", "cwd", cwd, "");
  failure.size = static_cast<int64_t>(full.size());
  failure.limit = static_cast<int64_t>(kLongestCwd);
  return failure;
}

std::vector<std::u16string> ListArgv(const Request& request, const FoundProgram& program) {
  std::vector<std::u16string> argv;
  for (size_t at = 0; at < request.argv.size();) {
    const std::string_view one(request.argv.data() + at);
    argv.push_back(Utf16FromWtf8(one));
    at += one.size() + 1;
  }
  if (program.through_shim) {
    argv[0] = Utf16FromWtf8(program.path);
    std::vector<std::u16string> arguments;
    for (const std::string& argument : program.arguments) arguments.push_back(Utf16FromWtf8(argument));
    argv.insert(argv.begin() + 1, arguments.begin(), arguments.end());
  }
  return argv;
}

// The launcher's own variables, on top of the child's.
std::string AddVariables(const std::string& env, const FoundProgram& program) {
  std::string changes;
  for (const auto& [name, value] : program.variables) {
    std::string set = value;
    const std::string old = ";%" + name + "%";
    if (set.size() > old.size() && set.compare(set.size() - old.size(), old.size(), old) == 0) {
      set.resize(set.size() - old.size());
      const std::optional<std::string> current = FindInEnvironment(env, name);
      if (current && !current->empty()) set += ";" + *current;
    }
    changes += name + "=" + set + '\0';
  }
  return MergeEnvironment(env, changes, UpcaseUnit);
}

// ERROR_BAD_EXE_FORMAT and the like: what the file is instead of a program.
Failure ExplainCreate(const std::string& program, DWORD error) {
  const size_t length = Widen(program).size();
  if (length >= MAX_PATH && ErrorName(error) == "ENOENT") {  // it was there a moment ago
    Failure failure = Refusal(Stage::kExec, "ENAMETOOLONG", "program", program, "");
    failure.size = static_cast<int64_t>(length);
    failure.limit = MAX_PATH - 1;
    return failure;
  }
  Failure failure = OsFailure(Stage::kExec, "CreateProcessW", "program", program, error);
  if (failure.code == "ENOEXEC") failure.detail = "not a Windows program for this machine";
  return failure;
}

}  // namespace

bool SharesConsole(const Request& request) { return request.input.kind == StdinSpec::Kind::kInherit; }

Result<Launched> Launch(Request& request) {
  Launched launched;
  ProgramQuery query{request.program,
                     request.base,
                     FindInEnvironment(request.env, "PATH"),
                     FindInEnvironment(request.env, "PATHEXT").value_or(""),
                     request.resolve_shims,
                     &request.env};
  Result<FoundProgram> program = FindProgram(query);
  if (!program.ok()) return std::move(program.failure());
  launched.program = program.value().path;

  std::optional<std::wstring> cwd;
  if (request.cwd) {
    Result<std::wstring> prepared = PrepareCwd(*request.cwd);
    if (!prepared.ok()) return std::move(prepared.failure());
    cwd = std::move(prepared.value());
  }

  Result<std::u16string> line = MakeCommandLine(ListArgv(request, program.value()), kLongestLine);
  if (!line.ok()) return std::move(line.failure());
  std::wstring command_line = Widen(line.value());
  const std::u16string block = MakeWindowsBlock(AddVariables(request.env, program.value()), UpcaseUnit);

  HANDLE job = nullptr;
  if (request.containment != TreeStrength::kNone) {
    Result<Job> made = Job::Make();
    if (!made.ok()) return std::move(made.failure());
    launched.job = std::move(made.value());
    job = launched.job.get();
  }

  if (auto failure = OpenTee(1, request.output, launched.output_tee)) return std::move(*failure);
  if (auto failure = OpenTee(2, request.error, launched.error_tee)) return std::move(*failure);
  Stdio stdio;
  if (auto failure = PrepareInput(request.input, stdio)) return std::move(*failure);
  if (auto failure = PrepareOutput(1, request.output, stdio)) return std::move(*failure);
  if (auto failure = PrepareOutput(2, request.error, stdio)) return std::move(*failure);

  const bool merged = request.error.kind == OutputSpec::Kind::kSameAsStdout;
  HANDLE handles[3] = {stdio.child[0].get(), stdio.child[1].get(), stdio.child[merged ? 1 : 2].get()};
  AttributeList attributes;
  const bool prepared = attributes.Open(job == nullptr ? 1 : 2) &&
                        // No handle twice (UpdateProcThreadAttribute refuses duplicates).
                        attributes.Set(PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles, (merged ? 2 : 3) * sizeof(HANDLE)) &&
                        (job == nullptr || attributes.Set(PROC_THREAD_ATTRIBUTE_JOB_LIST, &job, sizeof job));
  if (!prepared) return OsFailure(Stage::kSetup, "UpdateProcThreadAttribute", "host", "", GetLastError());

  STARTUPINFOEXW startup{};
  startup.StartupInfo.cb = sizeof startup;
  startup.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
  startup.StartupInfo.hStdInput = handles[0];
  startup.StartupInfo.hStdOutput = handles[1];
  startup.StartupInfo.hStdError = handles[2];
  startup.lpAttributeList = attributes.get();
  // One hidden console for the whole tree: without any (DETACHED_PROCESS) every program it starts would open a window.
  // A child that reads our console stays on it.
  const bool shares_console = SharesConsole(request);
  const DWORD flags =
      EXTENDED_STARTUPINFO_PRESENT | CREATE_UNICODE_ENVIRONMENT | (shares_console ? 0 : CREATE_NO_WINDOW);
  PROCESS_INFORMATION made{};
  const auto create = [&](const std::wstring& application) -> DWORD {
    const BOOL created =
        CreateProcessW(application.c_str(), command_line.data(), nullptr, nullptr, TRUE, flags,
                       const_cast<char16_t*>(block.data()), cwd ? cwd->c_str() : nullptr, &startup.StartupInfo, &made);
    return created != 0 ? ERROR_SUCCESS : GetLastError();
  };
  const std::wstring full = Widen(launched.program);
  DWORD error = create(LongForm(full));
  if (full.size() >= MAX_PATH && ErrorName(error) == "ENOENT") {  // a system that does not take the long form here
    const std::wstring shorter = ShortForm(full);
    // "tool.batch" may be TOOL~1.BAT there.
    const bool is_program = JudgeFile(Units(shorter)) == Verdict::kProgram;
    if (is_program && !shorter.empty() && shorter.size() < MAX_PATH) error = create(shorter);
  }
  if (error != ERROR_SUCCESS) return ExplainCreate(launched.program, error);
  CloseHandle(made.hThread);
  launched.process = UniqueHandle(made.hProcess);
  launched.pid = made.dwProcessId;
  launched.input = std::move(stdio.ours[0]);
  launched.output = std::move(stdio.ours[1]);
  launched.error = std::move(stdio.ours[2]);
  return launched;
}

}  // namespace argv_spawn
