#include "unix/diagnose.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>

#include "unix/elf.h"
#include "unix/fd.h"
#include "unix/limits.h"
#include "unix/mount.h"
#include "unix/os_error.h"

namespace argv_spawn {

namespace {

// Linux reads 256 bytes of the first line (include/uapi/linux/binfmts.h, BINPRM_BUF_SIZE).
constexpr size_t kHeadSize = 256;
// Interpreters that are scripts themselves: the kernel follows five (fs/exec.c, exec_binprm).
constexpr int kMaxNesting = 5;

std::string ReadHead(const std::string& path) {
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!fd) return "";
  std::array<char, kHeadSize> head{};
  ssize_t count;
  do {
    count = read(fd.get(), head.data(), head.size());
  } while (count < 0 && errno == EINTR);
  return count > 0 ? std::string(head.data(), static_cast<size_t>(count)) : std::string();
}

struct Shebang {
  std::string line;         // without "#!" and line feed
  std::string interpreter;  // its first word
};

std::optional<Shebang> ParseShebang(std::string_view head) {
  if (head.substr(0, 2) != "#!") return std::nullopt;
  Shebang shebang;
  shebang.line = std::string(head.substr(2, head.find('\n') == head.npos ? head.npos : head.find('\n') - 2));
  const size_t start = shebang.line.find_first_not_of(" \t");
  if (start != std::string::npos) {
    const size_t stop = shebang.line.find_first_of(" \t", start);
    shebang.interpreter = shebang.line.substr(start, stop == std::string::npos ? stop : stop - start);
  }
  return shebang;
}

bool Exists(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0;
}

Failure DiagnoseMissing(const std::string& program, int depth) {
  struct stat info {};
  if (stat(program.c_str(), &info) != 0) return OsFailure(Stage::kResolve, "execve", "program", program, errno);
  const std::string head = ReadHead(program);
  if (const auto shebang = ParseShebang(head)) {
    if (depth < kMaxNesting && !shebang->interpreter.empty() && Exists(shebang->interpreter)) {
      return DiagnoseMissing(shebang->interpreter, depth + 1);
    }
    Failure failure = OsFailure(Stage::kInterpreter, "execve", "interpreter", shebang->interpreter, ENOENT);
    failure.detail = "#!" + shebang->line;
    return failure;
  }
  if (const auto loader = ReadElfLoader(program); loader && !Exists(*loader)) {
    Failure failure = OsFailure(Stage::kLoader, "execve", "loader", *loader, ENOENT);
    failure.detail = program;
    return failure;
  }
  return OsFailure(Stage::kExec, "execve", "program", program, ENOENT);
}

std::string DescribeFormat(const std::string& program) {
  const std::string head = ReadHead(program);
  if (head.empty()) return "empty file";
  if (const std::string machine = DescribeElf(head); !machine.empty()) return machine;
  if (head.substr(0, 2) == "#!") return "#! line not accepted";
  if (head.substr(0, 2) == "MZ") return "Windows program";
  const auto starts_with = [&](const char* magic) { return std::memcmp(head.data(), magic, 4) == 0; };
  if (head.size() >= 4 && (starts_with("\xcf\xfa\xed\xfe") || starts_with("\xca\xfe\xba\xbe"))) return "Mach-O program";
  return head.find('\0') == std::string::npos ? "text without #!" : "unknown format";
}

Failure DiagnoseDenied(const std::string& program, int error, int depth) {
  Failure failure = OsFailure(Stage::kExec, "execve", "program", program, error);
  struct stat info {};
  if (stat(program.c_str(), &info) != 0) {
    failure.detail = errno == EACCES ? "a folder of the path may not be searched" : "";
  } else if (S_ISDIR(info.st_mode)) {
    failure.detail = "directory";
  } else if (!S_ISREG(info.st_mode)) {
    failure.detail = "not a regular file";
  } else if (IsOnNoExecMount(program)) {
    failure.detail = "noexec mount";
  } else if (faccessat(AT_FDCWD, program.c_str(), X_OK, AT_EACCESS) != 0) {
    failure.detail = "no execute permission";
  } else if (const auto shebang = ParseShebang(ReadHead(program));
             shebang && depth < kMaxNesting && !shebang->interpreter.empty()) {
    Failure inner = DiagnoseDenied(shebang->interpreter, error, depth + 1);
    inner.stage = Stage::kInterpreter;
    inner.subject = "interpreter";
    inner.detail += inner.detail.empty() ? "#!" + shebang->line : " (#!" + shebang->line + ")";
    return inner;
  }
  return failure;
}

}  // namespace

Failure DiagnoseExec(const std::string& program, int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
    case ELOOP:
      return DiagnoseMissing(program, 0);
    case EACCES:
    case EPERM:
      return DiagnoseDenied(program, error, 0);
    case ENOEXEC: {
      Failure failure = OsFailure(Stage::kExec, "execve", "program", program, error);
      failure.detail = DescribeFormat(program);
      return failure;
    }
    case EAGAIN:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
      return DiagnoseFork(error);
    default:
      return OsFailure(Stage::kExec, "posix_spawn", "program", program, error);
  }
}

Failure DiagnoseFork(int error) {
  Failure failure = OsFailure(Stage::kFork, "posix_spawn", "host", "", error);
  if (error != EPERM && error != ENOSYS) failure.detail = DescribeResourceLimits();
  return failure;
}

Failure DiagnoseCwd(const std::string& cwd, const char* call, int error) {
  Failure failure = OsFailure(Stage::kCwd, call, "cwd", cwd, error);
  for (size_t at = 1; at <= cwd.size(); at++) {
    if (at < cwd.size() && cwd[at] != '/') continue;
    const std::string prefix = cwd.substr(0, at);
    struct stat info {};
    const bool there = stat(prefix.c_str(), &info) == 0;
    if (there && S_ISDIR(info.st_mode)) continue;
    failure.detail = prefix;
    break;
  }
  return failure;
}

}  // namespace argv_spawn
