#include "core/gathered_wakes.h"

#include <algorithm>
#include <utility>

namespace argv_spawn {

namespace {
constexpr uint64_t kSpan = 4'000'000;  // nanoseconds
}

void GatheredWakes::Ask(std::shared_ptr<Sink> sink, uint64_t now) {
  if (now >= free_at_ && waiting_.empty()) {
    free_at_ = now + kSpan;
    sink->Wake();
  } else if (std::find(waiting_.begin(), waiting_.end(), sink) == waiting_.end()) {
    waiting_.push_back(std::move(sink));
  }
}

uint64_t GatheredWakes::next() const { return waiting_.empty() ? kNever : free_at_; }

void GatheredWakes::Fire(uint64_t now) {
  if (now < next()) return;
  free_at_ = now + kSpan;
  for (const auto& sink : waiting_) sink->Wake();
  waiting_.clear();
}

}  // namespace argv_spawn
