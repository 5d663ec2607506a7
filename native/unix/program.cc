#include "unix/program.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "unix/os_error.h"

namespace argv_spawn {

namespace {

// 0 when `path` is a regular file that this process may execute, else the errno that describes it.
int CheckExecutable(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return errno;
  if (S_ISDIR(info.st_mode)) return EISDIR;
  if (!S_ISREG(info.st_mode)) return EACCES;
  if (faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) != 0) return errno;
  return 0;
}

}  // namespace

Result<std::string> FindProgram(const ProgramQuery& query) {
  const std::string name(query.name);
  if (name.find('/') != std::string::npos) {
    if (name.front() == '/') return name;
    if (!query.base) return OsFailure(Stage::kResolve, "getcwd", "program", name, ENOENT);
    return *query.base + (query.base->back() == '/' ? "" : "/") + name;
  }

  std::vector<Tried> tried;
  int reported = ENOENT;  // the first thing that stood in the way of a file that is there wins over "not found"
  std::string reported_path;
  const std::string_view path = query.path.value_or(std::string_view());
  for (size_t start = 0; query.path && start <= path.size();) {
    const size_t stop = std::min(path.find(':', start), path.size());
    const std::string_view entry = path.substr(start, stop - start);
    start = stop + 1;
    if (entry.empty()) {
      tried.push_back({"", "EMPTY"});
      continue;
    }
    if (entry.front() != '/') {
      tried.push_back({std::string(entry), "RELATIVE"});
      continue;
    }
    std::string candidate(entry);
    if (candidate.back() != '/') candidate += '/';
    candidate += name;
    const int error = CheckExecutable(candidate);
    if (error == 0) return candidate;
    tried.push_back({candidate, ErrnoName(error)});
    if (reported == ENOENT && error != ENOENT && error != ENOTDIR) {
      reported = error == EISDIR ? EACCES : error;
      reported_path = candidate;
    }
  }
  Failure failure = OsFailure(Stage::kResolve, "stat", "program", reported_path, reported);
  if (!query.path) failure.detail = "no-path";
  failure.tried = std::move(tried);
  return failure;
}

Result<std::string> FindExistingProgram(const ProgramQuery& query) {
  Result<std::string> found = FindProgram(query);
  if (!found.ok()) return found;
  const int error = CheckExecutable(found.value());
  if (error == 0) return found;
  return OsFailure(Stage::kResolve, "stat", "program", found.value(), error == EISDIR ? EACCES : error);
}

}  // namespace argv_spawn
