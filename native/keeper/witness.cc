#include "keeper/witness.h"

#include "keeper/protocol.h"
#include "keeper/system.h"

namespace keeper {

namespace {

PidList told;

// A pipe holds 64 KiB where nothing else was arranged (pipe(7)). The rest is kept for the report of the exit, which
// must not wait for a host that is stopped.
constexpr int kMostUnread = 32 * 1024;

int UnreadByHost() {
  constexpr int kCountUnread = 0x541B;  // FIONREAD, which either end of a pipe answers
  int count = 0;
  return IsError(Call(__NR_ioctl, kReportFd, kCountUnread, Address(&count))) ? kMostUnread : count;
}

}  // namespace

void Witness::Tell(int pid, const Stat& stat) {
  if (told.Has(pid) || UnreadByHost() >= kMostUnread) return;
  told.Add(pid);
  Report report{};
  report.kind = Report::kEnded;
  report.pid = pid;
  report.held = HeldPipes(pid, pipes_);
  static_assert(sizeof report.name == sizeof stat.name);
  for (size_t i = 0; i < sizeof stat.name; i++) report.name[i] = stat.name[i];
  Write(kReportFd, &report, sizeof report);
}

}  // namespace keeper
