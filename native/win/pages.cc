#include "core/pages.h"

#include <windows.h>

#include <algorithm>
#include <cstring>

namespace argv_spawn {

namespace {

constexpr size_t kPage = 4096;
// Windows has no overcommitment: committed memory counts at once, so no more is committed ahead than this.
constexpr size_t kCommitAtOnce = 64 * 1024 * 1024;

size_t RoundToPage(size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

}  // namespace

Pages ReservePages(size_t bytes) {
  Pages pages;
  const size_t size = RoundToPage(bytes);
  if (size > kCommitAtOnce) return pages;  // the caller asks again for what it needs now
  void* address = VirtualAlloc(nullptr, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
  if (address == nullptr) return pages;
  pages.data = static_cast<uint8_t*>(address);
  pages.capacity = size;
  return pages;
}

bool GrowPages(Pages& pages, size_t bytes) {
  const size_t size = RoundToPage(bytes);
  void* address = VirtualAlloc(nullptr, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
  if (address == nullptr) return false;
  std::memcpy(address, pages.data, std::min(pages.capacity, size));
  VirtualFree(pages.data, 0, MEM_RELEASE);
  pages.data = static_cast<uint8_t*>(address);
  pages.capacity = size;
  return true;
}

// A page of zeros costs about the same in either way here.
void PopulatePages(const Pages&, size_t, size_t) {}

void TrimPages(Pages& pages, size_t used) {
  const size_t keep = RoundToPage(used == 0 ? 1 : used);
  if (keep >= pages.capacity) return;
  // The address range stays reserved until FreePages; the memory behind it is given back.
  if (VirtualFree(pages.data + keep, pages.capacity - keep, MEM_DECOMMIT) != 0) pages.capacity = keep;
}

void FreePages(Pages& pages) {
  if (pages.data != nullptr) VirtualFree(pages.data, 0, MEM_RELEASE);
  pages = Pages();
}

}  // namespace argv_spawn
