// A program that misleads an observer which looks for libraries in its memory map. It prints `up` when it is ready.
//   flip OWN OTHER CLOSES   maps OTHER in the place of OWN once OWN has been closed so often, and then watches whether the code of
//                           OTHER changes. Prints `flipped`, and `changed` if it does.
//   lease FILE              maps FILE, and makes everyone wait who opens it
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096
#define PAGES 4

static char *const place = (char *)0x500000000000;

static int map(int file) {
  char *at = mmap(place, PAGE * PAGES, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, file, 0);
  return at == place ? 0 : -1;
}

static int lease(const char *path) {
  signal(SIGIO, SIG_IGN);
  int file = open(path, O_RDONLY);
  if (file < 0 || map(file) != 0 || fcntl(file, F_SETLEASE, F_WRLCK) != 0) return 1;
  puts("up");
  for (;;) {
    usleep(50000);
    fcntl(file, F_SETLEASE, F_WRLCK);
  }
}

static int flip(const char *own, const char *other, int closes) {
  static char before[PAGE * PAGES];
  int own_file = open(own, O_RDONLY), other_file = open(other, O_RDONLY);
  if (own_file < 0 || other_file < 0 || map(own_file) != 0) return 1;
  char *code = mmap(NULL, PAGE * PAGES, PROT_READ | PROT_EXEC, MAP_PRIVATE, other_file, 0);
  if (code == MAP_FAILED) return 1;
  memcpy(before, code, sizeof before);
  struct pollfd events = {.fd = inotify_init(), .events = POLLIN};
  if (inotify_add_watch(events.fd, own, IN_CLOSE) < 0) return 1;
  puts("up");
  for (int closed = 0, changed = 0;;) {
    if (poll(&events, 1, 10) > 0) {
      char buffer[PAGE] __attribute__((aligned(8)));
      ssize_t length = read(events.fd, buffer, sizeof buffer);
      for (char *at = buffer; at < buffer + length;) {
        struct inotify_event *event = (void *)at;
        if (++closed == closes) {
          map(other_file);
          puts("flipped");
        }
        at += sizeof *event + event->len;
      }
    }
    if (!changed && memcmp(before, code, sizeof before) != 0) {
      changed = 1;
      puts("changed");
    }
  }
}

int main(int count, char **arguments) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (count == 3 && strcmp(arguments[1], "lease") == 0) return lease(arguments[2]);
  if (count == 5 && strcmp(arguments[1], "flip") == 0) return flip(arguments[2], arguments[3], atoi(arguments[4]));
  return 2;
}
