// Writes BYTES bytes to stdout, CHUNK at a time.
// usage: writer BYTES CHUNK

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  unsigned long long left = strtoull(argv[1], NULL, 10);
  const size_t chunk = strtoul(argv[2], NULL, 10);
  char* buffer = malloc(chunk);
  if (!buffer) return 1;
  memset(buffer, 'x', chunk);
  while (left > 0) {
    const ssize_t written = write(1, buffer, left < chunk ? left : chunk);
    if (written < 0) return 1;
    left -= written;
  }
  return 0;
}
