// A tee file by handle, written on the system's pool.
#pragma once

#include <functional>

#include "core/tee_file.h"
#include "win/handle.h"

namespace argv_spawn {

class HandleTeeFile final : public TeeFile {
 public:
  HandleTeeFile(UniqueHandle file, std::function<void()> on_progress)
      : TeeFile(std::move(on_progress)), file_(std::move(file)) {}

 private:
  bool RunElsewhere(std::function<void()> job) override;
  size_t Write(const uint8_t* data, size_t size, std::string& error) override;

  UniqueHandle file_;
};

}  // namespace argv_spawn
