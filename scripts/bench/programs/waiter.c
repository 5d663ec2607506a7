// Adds one byte to a file, as a sign that it runs, and waits to be killed.
// usage: waiter FILE

#include <fcntl.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const int fd = open(argv[1], O_WRONLY | O_APPEND | O_CREAT, 0600);
  if (fd < 0 || write(fd, "x", 1) != 1) return 1;
  close(fd);
  for (;;) pause();
}
