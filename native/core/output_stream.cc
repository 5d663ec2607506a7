#include "core/output_stream.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace argv_spawn {

void OutputStream::Open(const OutputSpec& spec, std::shared_ptr<TeeFile> tee) {
  open_ = opened_ = true;
  tee_ = std::move(tee);
  kill_above_ = spec.kill_above;
  if (spec.kind == OutputSpec::Kind::kCollect) {
    mode_ = Mode::kCollect;
    collector_.emplace(spec.head, spec.tail);
  } else if (spec.kind == OutputSpec::Kind::kStream) {
    mode_ = Mode::kStream;
  }
}

bool OutputStream::wants_bytes() const {
  if (!open_ || (mode_ == Mode::kStream && credit_ == 0)) return false;
  return !tee_ || tee_->waiting() < TeeFile::kHighWater;
}

size_t OutputStream::Allowed(size_t most) const {
  return mode_ == Mode::kStream ? static_cast<size_t>(std::min<uint64_t>(credit_, most)) : most;
}

Collector::Space OutputStream::Next(Collector::Space scratch) {
  return mode_ == Mode::kCollect ? collector_->Next(scratch) : scratch;
}

void OutputStream::Take(const Collector::Space& space, size_t count) {
  if (mode_ == Mode::kDiscard) return;
  captured_ += count;
  if (tee_) tee_->Submit(space.data, count);
  if (mode_ == Mode::kCollect) {
    collector_->Commit(count);
    return;
  }
  credit_ -= std::min<uint64_t>(credit_, count);
  Bytes chunk;
  chunk.Append(space.data, count);
  reader_.OnChunk(number_, std::move(chunk));
}

void OutputStream::Copy(const uint8_t* data, size_t size) {
  uint8_t nowhere[4096];
  while (size > 0) {
    // A chunk is copied out of what it is taken from, so it is taken from where it is.
    Collector::Space space{const_cast<uint8_t*>(data), size};
    if (mode_ == Mode::kCollect) {
      space = collector_->Next({nowhere, sizeof nowhere});
      space.size = std::min(space.size, size);
      std::memcpy(space.data, data, space.size);
    }
    Take(space, space.size);
    data += space.size;
    size -= space.size;
  }
}

bool OutputStream::may_skip() const {
  return !tee_ && mode_ != Mode::kStream && (!collector_ || collector_->over_cap());
}

uint64_t OutputStream::Skippable(uint64_t pending) const {
  return mode_ == Mode::kCollect ? collector_->Skippable(pending) : pending;
}

void OutputStream::Skip(uint64_t count) {
  if (mode_ != Mode::kCollect) return;
  captured_ += count;
  collector_->Skip(count);
}

void OutputStream::AddCredit(uint64_t bytes) { credit_ = bytes > UINT64_MAX - credit_ ? UINT64_MAX : credit_ + bytes; }

std::optional<Capture> OutputStream::TakeCapture() {
  if (!opened_) return std::nullopt;
  Capture capture;
  capture.bytes = captured_;
  if (collector_) {
    capture.head = collector_->TakeHead();
    capture.tail = collector_->TakeTail();
  }
  if (tee_) {
    const bool late = has_tee_waiting();
    capture.tee = tee_->Report();
    if (late) capture.tee->error = "ETIMEDOUT";
  }
  return capture;
}

}  // namespace argv_spawn
