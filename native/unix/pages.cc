#include "core/pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace argv_spawn {

namespace {

size_t RoundToPage(size_t bytes) {
  static const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

void AskForHugePages([[maybe_unused]] const Pages& pages) {
#ifdef MADV_HUGEPAGE
  madvise(pages.data, pages.capacity, MADV_HUGEPAGE);  // advice: a refusal changes nothing but speed
#endif
}

}  // namespace

Pages ReservePages(size_t bytes) {
  Pages pages;
  const size_t size = RoundToPage(bytes);
  void* address = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) return pages;
  pages.data = static_cast<uint8_t*>(address);
  pages.capacity = size;
  AskForHugePages(pages);
  return pages;
}

bool GrowPages(Pages& pages, size_t bytes) {
  const size_t size = RoundToPage(bytes);
#ifdef MREMAP_MAYMOVE
  void* address = mremap(pages.data, pages.capacity, size, MREMAP_MAYMOVE);
  if (address == MAP_FAILED) return false;
  pages.data = static_cast<uint8_t*>(address);
  pages.capacity = size;
  AskForHugePages(pages);
  return true;
#else
  Pages larger = ReservePages(size);
  if (larger.data == nullptr) return false;
  std::memcpy(larger.data, pages.data, pages.capacity);
  FreePages(pages);
  pages = larger;
  return true;
#endif
}

void PopulatePages([[maybe_unused]] const Pages& pages, [[maybe_unused]] size_t from, [[maybe_unused]] size_t to) {
#ifdef __linux__
  constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE, Linux 5.14; refused by older kernels, and then not needed
  const size_t first = from / RoundToPage(1) * RoundToPage(1);
  madvise(pages.data + first, std::min(RoundToPage(to), pages.capacity) - first, kPopulateWrite);
#endif
}

void TrimPages(Pages& pages, size_t used) {
  const size_t keep = RoundToPage(used == 0 ? 1 : used);
  if (keep >= pages.capacity) return;
  if (munmap(pages.data + keep, pages.capacity - keep) == 0) pages.capacity = keep;
}

void FreePages(Pages& pages) {
  if (pages.data != nullptr) munmap(pages.data, pages.capacity);
  pages = Pages();
}

}  // namespace argv_spawn
