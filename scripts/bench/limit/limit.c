// What the machine allows: the same work in C, without a language in between. Linux on x86-64.
//
// usage: limit MODE latency COUNT RESIDENT WARM | rate COUNT WIDTH WARM | capture PROGRAM BYTES CHUNK | count PROGRAM BYTES
//        | feed PROGRAM BYTES KIND          MODE: posix_spawn, vfork, clone3 (without CLONE_VFORK)
// Prints JSON: metric names with their samples.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char** environ;
enum { POSIX_SPAWN, VFORK, CLONE3 };
static int mode;

typedef struct {
  pid_t pid;
  int in, out, err;  // our ends; -1 when the child got /dev/null
  char* stack;
} Child;

static void fail(const char* what) {
  perror(what);
  exit(1);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static double cpu(int who) {
  struct rusage u;
  getrusage(who, &u);
  return u.ru_utime.tv_sec * 1e6 + u.ru_utime.tv_usec + u.ru_stime.tv_sec * 1e6 + u.ru_stime.tv_usec;
}

typedef struct {
  char* const* argv;
  int in, out, err;
  const sigset_t* mask;
} Plan;

// In the child, with the parent's memory: nothing but system calls.
static int enter(void* argument) {
  const Plan* plan = argument;
  if (dup2(plan->in, 0) < 0 || dup2(plan->out, 1) < 0 || dup2(plan->err, 2) < 0) _exit(126);
  sigprocmask(SIG_SETMASK, plan->mask, NULL);
  execve(plan->argv[0], plan->argv, environ);
  _exit(127);
}

#if defined(__x86_64__)
// clone3(2) has no wrapper: the child comes back on an empty stack, so it must not return.
static long clone3_into(struct clone_args* args, int (*entry)(void*), void* argument) {
  long result = SYS_clone3;
  register int (*e)(void*) __asm__("r12") = entry;
  register void* a __asm__("r13") = argument;
  __asm__ volatile(
      "syscall\n\ttest %%rax, %%rax\n\tjnz 1f\n\txor %%ebp, %%ebp\n\tmov %%r13, %%rdi\n\tcall *%%r12\n\tud2\n1:"
      : "+a"(result)
      : "D"(args), "S"(sizeof *args), "r"(e), "r"(a)
      : "rcx", "r11", "memory");
  return result;
}
#else
static long clone3_into(struct clone_args* args, int (*entry)(void*), void* argument) {
  (void)args, (void)entry, (void)argument;
  return -ENOSYS;
}
#endif

enum { STACK = 64 * 1024 };

static pid_t begin(const Plan* plan, Child* child) {
  if (mode == POSIX_SPAWN) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t all;
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, plan->in, 0);
    posix_spawn_file_actions_adddup2(&actions, plan->out, 1);
    posix_spawn_file_actions_adddup2(&actions, plan->err, 2);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, plan->mask);
    pid_t pid = -1;
    errno = posix_spawn(&pid, plan->argv[0], &actions, &attributes, plan->argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return pid;
  }
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t pid;
  if (mode == VFORK) {
    pid = vfork();
    if (pid == 0) enter((void*)plan);
  } else {
    child->stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (child->stack == MAP_FAILED) fail("mmap");
    struct clone_args args = {.flags = CLONE_VM | CLONE_CLEAR_SIGHAND,
                              .exit_signal = SIGCHLD,
                              .stack = (unsigned long)child->stack,
                              .stack_size = STACK};
    const long result = clone3_into(&args, enter, (void*)plan);
    if (result < 0) errno = (int)-result;
    pid = (pid_t)result;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return pid;
}

// The plan is the caller's, since a child without CLONE_VFORK reads it until its exec.
static void start(Child* child, Plan* plan, char* const* argv, int with_stdin) {
  static sigset_t none;
  int in[2] = {-1, -1}, out[2], err[2];
  if (with_stdin ? pipe2(in, O_CLOEXEC) : (in[0] = open("/dev/null", O_RDONLY | O_CLOEXEC)) < 0) fail("stdin");
  if (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC)) fail("pipe2");
  *child = (Child){.in = in[1], .out = out[0], .err = err[0]};
  *plan = (Plan){.argv = argv, .in = in[0], .out = out[1], .err = err[1], .mask = &none};
  child->pid = begin(plan, child);
  if (child->pid < 0) fail("start");
  close(in[0]);
  close(out[1]);
  close(err[1]);
}

static void finish(Child* child) {
  int status;
  if (waitpid(child->pid, &status, 0) < 0) fail("waitpid");
  if (status != 0) exit((fprintf(stderr, "status %d\n", status), 1));
  close(child->out);
  close(child->err);
  if (child->stack) munmap(child->stack, STACK);
}

// Reads both pipes to their ends, as a collector has to.
static void drain(Child* child) {
  struct pollfd fds[2] = {{.fd = child->out, .events = POLLIN}, {.fd = child->err, .events = POLLIN}};
  char buffer[4096];
  for (int left = 2; left > 0;) {
    poll(fds, 2, -1);
    for (int i = 0; i < 2; i++) {
      if (!fds[i].revents) continue;
      if (!(fds[i].revents & POLLIN) || read(fds[i].fd, buffer, sizeof buffer) <= 0) fds[i].fd = -1, left--;
    }
  }
}

static double once(double* call) {
  static char* const argv[] = {"/bin/true", NULL};
  Child child;
  Plan plan;
  const double started = now();
  start(&child, &plan, argv, 0);
  if (call) *call = (now() - started) * 1e3;
  drain(&child);
  finish(&child);
  return now() - started;
}

static void print(const char* name, const double* samples, int count) {
  printf("\"%s\":[", name);
  for (int i = 0; i < count; i++) printf("%s%.4f", i ? "," : "", samples[i]);
  printf("]");
}

static void latency(int count, size_t resident, int warm) {
  if (resident > 0) {
    char* held = malloc(resident);
    if (!held) fail("malloc");
    memset(held, 1, resident);
  }
  double* exits = calloc(count, sizeof *exits);
  double* calls = calloc(count, sizeof *calls);
  for (int i = 0; i < warm; i++) once(NULL);
  for (int i = 0; i < count; i++) exits[i] = once(&calls[i]);
  printf("{");
  print("exit_ms", exits, count);
  printf(",");
  print("call_us", calls, count);
  printf("}");
}

static int to_start;

static void* lane(void* unused) {
  while (__atomic_sub_fetch(&to_start, 1, __ATOMIC_RELAXED) >= 0) once(NULL);
  return unused;
}

static void many(int count, int width) {
  pthread_t threads[256];
  to_start = count;
  for (int i = 0; i < width; i++) pthread_create(&threads[i], NULL, lane, NULL);
  for (int i = 0; i < width; i++) pthread_join(threads[i], NULL);
}

static void rate(int count, int width, int warm) {
  many(width > warm ? width : warm, width);
  const double used = cpu(RUSAGE_SELF), started = now();
  many(count, width);
  printf("{\"starts_per_s\":[%.3f],\"host_cpu_us\":[%.3f]}", count / ((now() - started) / 1e3),
         (cpu(RUSAGE_SELF) - used) / count);
}

#include "streams.h"

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  mode = !strcmp(argv[1], "vfork") ? VFORK : !strcmp(argv[1], "clone3") ? CLONE3 : POSIX_SPAWN;
  if (!strcmp(argv[2], "latency")) latency(atoi(argv[3]), strtoull(argv[4], NULL, 10), atoi(argv[5]));
  else if (!strcmp(argv[2], "rate")) rate(atoi(argv[3]), atoi(argv[4]), atoi(argv[5]));
  else return streams(argv + 2);
  return 0;
}
