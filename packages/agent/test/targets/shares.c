// Two threads whose functions take known shares of their time: update 90 %, draw 10 %, in each of both.
// Built without optimization, so that each function has a frame, nothing is inlined and no call becomes a jump.
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>

static volatile unsigned long sink;
static volatile int goes_on = 1;

static void spin(unsigned long rounds) {
  for (unsigned long i = 0; i < rounds; i++) sink += i;
}

static void update(void) {
  spin(90000);
}

static void draw(void) {
  spin(10000);
}

static void frame_loop(void) {
  while (goes_on) {
    update();
    draw();
  }
}

static void *second(void *unused) {
  prctl(PR_SET_NAME, "render");
  frame_loop();
  return unused;
}

int main(void) {
  pthread_t thread;
  if (pthread_create(&thread, 0, second, 0) != 0) return 1;
  puts("up");
  fflush(stdout);
  frame_loop();
  return 0;
}
