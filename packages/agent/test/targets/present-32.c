// A 32-bit program without libraries that presents frames in two windows: 40 in window 7 and 20 in window 9, every 10 ms, on
// each line of its input. Its file has the name of OpenGL's library, because the observer looks for that name.
typedef struct { int seconds, nanoseconds; } Time;

static int call(int number, int first, const void *second, int third) {
  int result;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(first), "c"(second), "d"(third) : "memory");
  return result;
}

__attribute__((noinline, used)) void glXSwapBuffers(void *display, unsigned long window) {
  __asm__ volatile("" : : "r"(display), "r"(window) : "memory");
}

void _start(void) {
  enum { EXIT = 1, READ = 3, WRITE = 4, NANOSLEEP = 162 };
  char byte;
  while (call(READ, 0, &byte, 1) == 1) {
    if (byte != '\n') continue;
    for (int i = 0; i < 60; i++) {
      Time pause = {0, 10000000};
      call(NANOSLEEP, (int)&pause, 0, 0);
      glXSwapBuffers((void *)0x10, i % 3 == 2 ? 9 : 7);
    }
    call(WRITE, 1, "done\n", 5);
  }
  call(EXIT, 0, 0, 0);
}
