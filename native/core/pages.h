// Large blocks of memory straight from the OS. Implemented once per OS folder (pages.cc).
//
// Why not malloc: a block is reserved at its final size and costs only the pages that are touched, huge pages can be
// asked for, and the unused rest is given back without a copy.
#pragma once

#include <cstddef>
#include <cstdint>

namespace argv_spawn {

struct Pages {
  uint8_t* data = nullptr;
  size_t capacity = 0;
};

// Reserves at least `bytes`; data is nullptr when the OS refuses.
Pages ReservePages(size_t bytes);
// Makes the block at least `bytes` large, contents kept, address possibly changed. False: refused, block unchanged.
bool GrowPages(Pages& pages, size_t bytes);
// Makes the bytes from `from` to `to` present in one step: a fault for each page costs ten times as much where pages
// are small and page tables are shadowed. Advice; rounded outwards to pages.
void PopulatePages(const Pages& pages, size_t from, size_t to);
// Gives back everything past `used` (rounded up to a page).
void TrimPages(Pages& pages, size_t used);
void FreePages(Pages& pages);

}  // namespace argv_spawn
