#include "core/event.h"

#include <utility>

namespace argv_spawn {

Event MakeAnswer(uint64_t id, Result<std::string> found) {
  Event event;
  event.id = id;
  if (found.ok()) {
    event.kind = Event::Kind::kResolved;
    event.path = std::move(found.value());
  } else {
    event.kind = Event::Kind::kUnresolved;
    event.failure = std::make_unique<Failure>(std::move(found.failure()));
  }
  return event;
}

}  // namespace argv_spawn
