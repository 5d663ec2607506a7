// A tee file by descriptor, written on threads that are there for that.
#pragma once

#include <functional>
#include <memory>

#include "core/tee_file.h"
#include "unix/fd.h"
#include "unix/worker_pool.h"

namespace argv_spawn {

class FdTeeFile final : public TeeFile {
 public:
  FdTeeFile(UniqueFd fd, WorkerPool& pool, std::function<void()> on_progress)
      : TeeFile(std::move(on_progress)), fd_(std::move(fd)), pool_(pool) {}

 private:
  bool RunElsewhere(std::function<void()> job) override { return pool_.Submit(std::move(job)) == 0; }
  size_t Write(const uint8_t* data, size_t size, std::string& error) override;

  UniqueFd fd_;
  WorkerPool& pool_;
};

}  // namespace argv_spawn
