#include "win/tee.h"

#include <utility>

#include "win/os_error.h"
#include "win/threads.h"

namespace argv_spawn {

bool HandleTeeFile::RunElsewhere(std::function<void()> job) { return RunOnPool(std::move(job)); }

size_t HandleTeeFile::Write(const uint8_t* data, size_t size, std::string& error) {
  DWORD count = 0;
  if (WriteFile(file_.get(), data, static_cast<DWORD>(size), &count, nullptr) != 0) return count;
  error = ErrorName(GetLastError());
  return count;
}

}  // namespace argv_spawn
