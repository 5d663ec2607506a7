// Writes to as much memory as it is told to, and ends: a virtual machine whose host takes back what is free then has it
// again. Without it the first contender that needs much memory is measured by how fast the host gives it.
//
// usage: touch bytes     prints MiB/s

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static double Now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char** argv) {
  const size_t bytes = argc == 2 ? strtoull(argv[1], NULL, 10) : 0;
  if (bytes == 0) return 2;
  void* memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
#ifdef MADV_HUGEPAGE
  madvise(memory, bytes, MADV_HUGEPAGE);
#endif
  const double start = Now();
  memset(memory, 1, bytes);
  printf("%.0f\n", (double)bytes / 1048576 / (Now() - start));
  return 0;
}
