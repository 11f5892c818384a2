// A program whose first thread ends while another lives on, with 32 MiB touched and a name of fifteen bytes that cuts a letter.
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
