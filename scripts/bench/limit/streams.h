// The streams of limit.c: reading and writing much, as fast as pipes go.

enum { MIB = 1 << 20, PIPE = MIB, BOUNCE = 256 * 1024 };

static long peak_bytes(const char* field) {
  char line[256];
  long kib = -1;
  FILE* status = fopen("/proc/self/status", "r");
  if (!status) fail("/proc/self/status");
  while (fgets(line, sizeof line, status)) {
    if (!strncmp(line, field, strlen(field))) kib = atol(line + strlen(field) + 1);
  }
  fclose(status);
  return kib * 1024;
}

static void report(double started, double used, long before, double bytes) {
  const double ms = now() - started;
  const double grown = peak_bytes("VmHWM:") - before;
  printf("{\"mib_per_s\":[%.3f],\"host_cpu_ms\":[%.3f],", bytes / MIB / (ms / 1e3), (cpu(RUSAGE_SELF) - used) / 1e3);
  printf("\"peak_mib\":[%.3f],\"peak_ratio\":[%.4f]}", grown / MIB, grown / bytes);
}

static void must_be(double is, double wanted) {
  if (is != wanted) exit((fprintf(stderr, "%.0f of %.0f bytes\n", is, wanted), 1));
}

static char* reserve(size_t bytes) {
  const size_t huge = 2u << 20;
  char* region = mmap(NULL, bytes + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (region == MAP_FAILED) fail("mmap");
  region = (char*)(((unsigned long)region + huge - 1) & ~(huge - 1));
  madvise(region, bytes, MADV_HUGEPAGE);
  return region;
}

static size_t read_into(int fd, char* to, size_t room) {
  size_t total = 0;
  for (ssize_t n; total < room && (n = read(fd, to + total, room - total)) > 0;) total += n;
  return total;
}

static int streams(char** args) {
  const char* what = args[0];
  const size_t bytes = strtoull(args[2], NULL, 10);
  char* argv[] = {args[1], args[2], args[3], NULL};
  char* const fed[] = {args[1], NULL};
  Child child;
  Plan plan;
  const long before = peak_bytes("VmRSS:");
  const double used = cpu(RUSAGE_SELF), started = now();
  if (!strcmp(what, "capture")) {
    char* region = reserve(bytes + 1);
    start(&child, &plan, argv, 0);
    fcntl(child.out, F_SETPIPE_SZ, PIPE);
    must_be(read_into(child.out, region, bytes + 1), bytes);
  } else if (!strcmp(what, "count")) {
    argv[2] = "65536";
    char* buffer = malloc(PIPE);
    double total = 0;
    start(&child, &plan, argv, 0);
    fcntl(child.out, F_SETPIPE_SZ, PIPE);
    for (ssize_t n; (n = read(child.out, buffer, PIPE)) > 0;) total += n;
    must_be(total, bytes);
  } else if (!strcmp(what, "feed")) {
    const int echoes = !strcmp(args[3], "echo");
    char* data = reserve(bytes);
    memset(data, 'x', bytes);
    char* back = reserve(bytes + 1);
    char* bounce = malloc(BOUNCE);
    size_t sent = 0, held = 0, offset = 0, got = 0;
    signal(SIGPIPE, SIG_IGN);
    const double begun = now(), from = cpu(RUSAGE_SELF);
    const long size = peak_bytes("VmRSS:");
    start(&child, &plan, fed, 1);
    fcntl(child.in, F_SETPIPE_SZ, PIPE);
    fcntl(child.out, F_SETPIPE_SZ, PIPE);
    fcntl(child.in, F_SETFL, O_NONBLOCK);
    struct pollfd fds[2] = {{.fd = child.in, .events = POLLOUT}, {.fd = child.out, .events = POLLIN}};
    while (fds[1].fd >= 0) {
      poll(fds, 2, -1);
      if (fds[0].fd >= 0 && fds[0].revents) {
        if (offset == held) {
          held = bytes - sent < BOUNCE ? bytes - sent : BOUNCE;
          memcpy(bounce, data + sent, held);
          offset = 0;
        }
        const ssize_t n = write(child.in, bounce + offset, held - offset);
        if (n < 0 && errno != EAGAIN) fail("write");
        if (n > 0) sent += n, offset += n;
        if (sent == bytes) close(child.in), fds[0].fd = -1;
      }
      if (fds[1].revents) {
        const ssize_t n = read(child.out, back + got, bytes + 1 - got);
        if (n <= 0) fds[1].fd = -1;
        else got += n;
      }
    }
    if (echoes) must_be(got, bytes);
    finish(&child);
    report(begun, from, size, bytes);
    return 0;
  } else {
    return 2;
  }
  finish(&child);
  report(started, used, before, bytes);
  return 0;
}
