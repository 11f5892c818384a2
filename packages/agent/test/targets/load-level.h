// The clock of the programs that present frames, and their work in a function with a known name.
#include <stdint.h>
#include <time.h>

// CLOCK_MONOTONIC in nanoseconds.
static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

__attribute__((noinline)) static void load_level(int ms) {
  volatile unsigned sum = 0;
  uint64_t end = now() + (uint64_t)ms * 1000000u;
  while (now() < end) {
    for (unsigned i = 0; i < 1000; i++) sum += i;
  }
}
