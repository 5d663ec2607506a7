// Wake-ups that may come a little later, so that one serves many: of a sink whose events need not be told one by one.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/event.h"

namespace argv_spawn {

// Service thread only.
class GatheredWakes {
 public:
  // At once when none was in the last four milliseconds, else when those are over.
  void Ask(std::shared_ptr<Sink> sink, uint64_t now);
  // When Fire has something to do; kNever without anything.
  uint64_t next() const;
  void Fire(uint64_t now);

 private:
  std::vector<std::shared_ptr<Sink>> waiting_;
  uint64_t free_at_ = 0;  // from then on the next is not gathered
};

}  // namespace argv_spawn
