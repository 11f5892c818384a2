// A program whose main thread exits while another one continues, with 32 MiB of memory and a name of fifteen bytes that ends within
// a character.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static void *live(void *unused) {
  size_t size = 32u << 20;
  char *held = malloc(size);
  memset(held, 1, size);
  puts("up");
  fflush(stdout);
  for (;;) pause();
  return held;
}

int main(void) {
  prctl(PR_SET_NAME, "Spi\xc3\xa9l) R 11 (\xc3\xa9");
  pthread_t thread;
  pthread_create(&thread, NULL, live, NULL);
  pthread_exit(NULL);
}
