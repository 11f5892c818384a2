/* Does a fixed piece of work for each line on standard input and prints what a unit of it took of the CPU, in
 * nanoseconds: `cpu`, a unit is a call 30 frames deep; `read 4096`, a unit is one read of so many bytes; `present 60`, a unit
 * is a frame, of which that many are presented in a second through the given library; `present 0`, as many as possible. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FILE_BYTES (16 << 20)
#define MOST_BYTES (1 << 20)
#define PRESENT_SECONDS 2

static double cpu_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1e9 + now.tv_nsec;
}

__attribute__((noinline)) static unsigned deep(unsigned level, unsigned seed) {
  if (level > 0) return deep(level - 1, seed * 31 + level) + 1;
  for (int i = 0; i < 2000; i++) seed = seed * 1664525 + 1013904223;
  return seed;
}

static double work_cpu(void) {
  int units = 150000;
  volatile unsigned sum = 0;
  double before = cpu_ns();
  for (int i = 0; i < units; i++) sum += deep(30, i);
  return (cpu_ns() - before) / units;
}

static double work_read(int fd, size_t bytes) {
  static char buffer[MOST_BYTES];
  int units = bytes > 16384 ? 40000 : 300000;
  double before = cpu_ns();
  for (int i = 0; i < units; i++) {
    off_t at = (off_t)(i * bytes) % (FILE_BYTES - bytes);
    if (pread(fd, buffer, bytes, at) != (ssize_t)bytes) exit(1);
  }
  return (cpu_ns() - before) / units;
}

typedef void (*Present)(void *display, unsigned long window);

static Present find_present(const char *library) {
  void *handle = dlopen(library, RTLD_NOW);
  void *address = handle == NULL ? NULL : dlsym(handle, "glXSwapBuffers");
  Present present;
  memcpy(&present, &address, sizeof present);
  return present;
}

static double work_present(Present present, int fps) {
  int units = fps == 0 ? 300000 : fps * PRESENT_SECONDS;
  struct timespec next;
  clock_gettime(CLOCK_MONOTONIC, &next);
  double before = cpu_ns();
  for (int i = 0; i < units; i++) {
    if (fps > 0) {
      next.tv_nsec += 1000000000 / fps;
      next.tv_sec += next.tv_nsec / 1000000000;
      next.tv_nsec %= 1000000000;
      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    }
    present((void *)0x10, 1);
  }
  return (cpu_ns() - before) / units;
}

int main(int count, char **arguments) {
  if (count != 3) return 2;
  int fd = open(arguments[1], O_RDONLY);
  Present present = find_present(arguments[2]);
  if (fd < 0 || present == NULL) return 1;
  char line[256];
  while (fgets(line, sizeof line, stdin) != NULL) {
    double ns = strncmp(line, "cpu", 3) == 0       ? work_cpu()
                : strncmp(line, "present", 7) == 0 ? work_present(present, atoi(line + 8))
                                                   : work_read(fd, strtoul(line + 5, NULL, 10));
    printf("%.1f\n", ns);
    fflush(stdout);
  }
  return 0;
}
