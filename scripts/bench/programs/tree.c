// Starts COUNT children, every second one in a session of its own; all hold stdout and wait to be killed. Their process
// ids, and its own, are in FILE once all of them run.
// usage: tree COUNT FILE

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int count = atoi(argv[1]);
  int ready[2];
  char path[4096], byte;
  if (pipe(ready) != 0) return 1;
  snprintf(path, sizeof path, "%s.part", argv[2]);
  FILE* list = fopen(path, "w");
  if (!list) return 1;
  fprintf(list, "%d\n", getpid());
  fflush(list);
  for (int i = 0; i < count; i++) {
    const pid_t pid = fork();
    if (pid < 0) return 1;
    if (pid == 0) {
      if (i % 2 == 1 && setsid() < 0) _exit(1);
      if (write(ready[1], "x", 1) != 1) _exit(1);
      for (;;) pause();
    }
    fprintf(list, "%d\n", pid);
    fflush(list);
  }
  for (int i = 0; i < count; i++) {
    if (read(ready[0], &byte, 1) != 1) return 1;
  }
  fclose(list);
  if (rename(path, argv[2]) != 0) return 1;
  for (;;) pause();
}
