#include "unix/limits.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "unix/os_error.h"

namespace argv_spawn {

namespace {

struct Sizes {
  int64_t argv = 0;
  int64_t env = 0;
  int64_t pointers = 0;
};

Sizes Measure(const std::vector<char*>& argv, const std::vector<char*>& env, const std::string& program) {
  Sizes sizes;
  for (const char* entry : argv) sizes.argv += entry == nullptr ? 0 : static_cast<int64_t>(std::strlen(entry)) + 1;
  for (const char* entry : env) sizes.env += entry == nullptr ? 0 : static_cast<int64_t>(std::strlen(entry)) + 1;
  sizes.argv += static_cast<int64_t>(program.size()) + 1;  // the kernel also stores the file name
  sizes.pointers = static_cast<int64_t>((argv.size() + env.size()) * sizeof(void*));
  return sizes;
}

#ifdef __linux__
int64_t StringLimit() { return 32 * sysconf(_SC_PAGESIZE); }
int64_t TotalLimit() {
  constexpr int64_t kAtMost = int64_t{6} * 1024 * 1024;
  constexpr int64_t kAtLeast = int64_t{128} * 1024;
  rlimit stack{};
  if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur == RLIM_INFINITY) return kAtMost;
  return std::max(std::min(static_cast<int64_t>(stack.rlim_cur / 4), kAtMost), kAtLeast);
}
#else
int64_t StringLimit() { return INT64_MAX; }
int64_t TotalLimit() { return sysconf(_SC_ARG_MAX); }
#endif

Failure TooLong(const char* subject, int64_t index, int64_t size, int64_t limit, std::string detail) {
  Failure failure = OsFailure(Stage::kLimits, "execve", subject, "", E2BIG);
  failure.index = index;
  failure.size = size;
  failure.limit = limit;
  failure.detail = std::move(detail);
  return failure;
}

std::optional<Failure> CheckEach(const std::vector<char*>& entries, const char* subject, int64_t limit) {
  for (size_t i = 0; i + 1 < entries.size(); i++) {
    const auto size = static_cast<int64_t>(std::strlen(entries[i]));
    if (size + 1 <= limit) continue;
    std::string name;
    if (std::strcmp(subject, "env") == 0) name.assign(entries[i], std::strcspn(entries[i], "="));
    return TooLong(subject, static_cast<int64_t>(i), size, limit - 1, std::move(name));
  }
  return std::nullopt;
}

}  // namespace

std::optional<Failure> CheckExecLimits(const std::vector<char*>& argv, const std::vector<char*>& env,
                                       const std::string& program) {
  if (auto failure = CheckEach(argv, "argv", StringLimit())) return failure;
  if (auto failure = CheckEach(env, "env", StringLimit())) return failure;
  const Sizes sizes = Measure(argv, env, program);
  if (sizes.argv + sizes.env + sizes.pointers > TotalLimit()) return ExecTooLong(argv, env, program);
  return std::nullopt;
}

Failure ExecTooLong(const std::vector<char*>& argv, const std::vector<char*>& env, const std::string& program) {
  const Sizes sizes = Measure(argv, env, program);
  return TooLong("total", -1, sizes.argv + sizes.env + sizes.pointers, TotalLimit(),
                 "argv " + std::to_string(sizes.argv) + ", env " + std::to_string(sizes.env) + ", pointers " +
                     std::to_string(sizes.pointers));
}

std::string DescribeResourceLimits() {
  const auto describe = [](const char* name, int which) {
    rlimit limit{};
    if (getrlimit(static_cast<decltype(RLIMIT_NOFILE)>(which), &limit) != 0) return std::string();
    const auto value = [](rlim_t number) {
      return number == RLIM_INFINITY ? std::string("unlimited") : std::to_string(number);
    };
    return std::string(name) + " " + value(limit.rlim_cur) + " of " + value(limit.rlim_max);
  };
  return describe("nofile", RLIMIT_NOFILE) + ", " + describe("nproc", RLIMIT_NPROC);
}

}  // namespace argv_spawn
