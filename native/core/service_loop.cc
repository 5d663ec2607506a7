#include "core/service_loop.h"

#include <algorithm>
#include <utility>

#include "core/clock.h"

namespace argv_spawn {

namespace {

constexpr int kSourceBits = 2;
constexpr int kGenerationShift = 32;

}  // namespace

void ServiceLoop::Post(std::function<void()> task) {
  bool first;
  {
    std::lock_guard<std::mutex> lock(tasks_mutex_);
    if (heir_ != nullptr) {
      heir_->Post(std::move(task));
      return;
    }
    first = tasks_.empty();
    tasks_.push_back(std::move(task));
  }
  if (first) Wake();
}

void ServiceLoop::Retire(ServiceLoop& heir) {
  std::lock_guard<std::mutex> lock(tasks_mutex_);
  heir_ = &heir;
  for (auto& task : tasks_) heir.Post(std::move(task));
  tasks_.clear();
}

void ServiceLoop::Attach(const std::shared_ptr<Member>& member) {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  member->slot_ = free_slots_.back();
  free_slots_.pop_back();
  Slot& slot = slots_[member->slot_];
  member->generation_ = ++slot.generation;
  slot.member = member;
  member->timer_ = timers_.end();
}

void ServiceLoop::Detach(Member& member) {
  SetTimer(member, kNever);
  Slot& slot = slots_[member.slot_];
  slot.generation++;
  free_slots_.push_back(member.slot_);
  // May be the last owner: `member` is not touched after this.
  const std::shared_ptr<Member> last = std::move(slot.member);
}

void ServiceLoop::SetTimer(Member& member, uint64_t at) {
  if (member.timer_ != timers_.end()) {
    if (member.timer_->first == at) return;
    timers_.erase(member.timer_);
    member.timer_ = timers_.end();
  }
  if (at != kNever) member.timer_ = timers_.emplace(at, member.slot_);
}

Token ServiceLoop::MakeToken(const Member& member, uint64_t source) {
  return (static_cast<Token>(member.generation_) << kGenerationShift) |
         (static_cast<Token>(member.slot_) << kSourceBits) | source;
}

uint64_t ServiceLoop::SourceOf(Token token) { return token & ((1U << kSourceBits) - 1); }

std::shared_ptr<ServiceLoop::Member> ServiceLoop::Find(Token token) const {
  const auto generation = static_cast<uint32_t>(token >> kGenerationShift);
  const auto index = static_cast<uint32_t>((token & UINT32_MAX) >> kSourceBits);
  if (index >= slots_.size() || slots_[index].generation != generation) return nullptr;
  return slots_[index].member;
}

void ServiceLoop::WakeSoon(std::shared_ptr<Sink> sink) { wakes_.Ask(std::move(sink), NowNs()); }

uint64_t ServiceLoop::TimerSpan() const {
  const uint64_t at = std::min(timers_.empty() ? kNever : timers_.begin()->first, wakes_.next());
  if (at == kNever) return kNever;
  const uint64_t now = NowNs();
  return at > now ? at - now : 0;
}

void ServiceLoop::RunTasks() {
  {
    std::lock_guard<std::mutex> lock(tasks_mutex_);
    running_tasks_.swap(tasks_);
  }
  for (auto& task : running_tasks_) task();
  running_tasks_.clear();
}

void ServiceLoop::FireTimers() {
  if (timers_.empty() && wakes_.next() == kNever) return;
  const uint64_t now = NowNs();
  wakes_.Fire(now);
  while (!timers_.empty() && timers_.begin()->first <= now) {
    const std::shared_ptr<Member> member = slots_[timers_.begin()->second].member;
    timers_.erase(timers_.begin());
    member->timer_ = timers_.end();
    member->OnTime(now);
  }
}

}  // namespace argv_spawn
