/* A program that works on files on command: one command per line on standard input, each answered with `done`.
 * The tests know the size of every file, so they know every byte that it reads. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define MOST_CHUNK (1 << 20)

static int held = -1;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static int open_or_fail(const char *path) {
  int fd = open(path, O_RDONLY);
  if (fd < 0) fail(path);
  return fd;
}

static void read_all(int fd, size_t chunk) {
  static __thread char buffer[MOST_CHUNK];
  while (read(fd, buffer, chunk) > 0) continue;
}

static void pread_all(int fd, size_t chunk) {
  char *buffer = malloc(chunk);
  ssize_t got;
  for (off_t at = 0; (got = pread(fd, buffer, chunk, at)) > 0; at += got) continue;
  free(buffer);
}

static void readv_all(int fd, size_t chunk) {
  char *buffer = malloc(chunk);
  struct iovec parts[2] = {{buffer, chunk / 2}, {buffer + chunk / 2, chunk - chunk / 2}};
  while (readv(fd, parts, 2) > 0) continue;
  free(buffer);
}

static void send_all(int fd) {
  int nowhere = open("/dev/null", O_WRONLY);
  while (sendfile(nowhere, fd, NULL, MOST_CHUNK) > 0) continue;
  close(nowhere);
}

/* Maps the file, closes it, and reads one byte of each page, first to last. */
static void touch_all(int fd) {
  struct stat facts;
  if (fstat(fd, &facts) < 0) fail("fstat");
  volatile const char *bytes = mmap(NULL, facts.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (bytes == MAP_FAILED) fail("mmap");
  close(fd);
  for (off_t at = 0; at < facts.st_size; at += 4096) (void)bytes[at];
  munmap((void *)bytes, facts.st_size);
}

static void *pread_in_thread(void *fd) {
  pread_all((int)(long)fd, 4096);
  return NULL;
}

static void pread_in_threads(int fd, int count) {
  pthread_t threads[64];
  for (int i = 0; i < count; i++) pthread_create(&threads[i], NULL, pread_in_thread, (void *)(long)fd);
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
}

/* Uses a CPU, and no file, for this number of milliseconds. */
__attribute__((noinline)) static void burn_cpu(long ms) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  double end = now.tv_sec * 1e3 + now.tv_nsec / 1e6 + (double)ms;
  volatile double sum = 0;
  do {
    for (int i = 1; i < 100000; i++) sum += 1.0 / i;
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (now.tv_sec * 1e3 + now.tv_nsec / 1e6 < end);
}

/* What is no file on a disk: a pipe, and a file that the kernel makes up. */
static void read_others(void) {
  char bytes[4096];
  int ends[2];
  if (pipe(ends) < 0 || write(ends[1], bytes, 1000) != 1000) fail("pipe");
  if (read(ends[0], bytes, sizeof bytes) != 1000) fail("read");
  close(ends[0]);
  close(ends[1]);
  int fd = open_or_fail("/proc/self/status");
  read_all(fd, 4096);
  close(fd);
}

static void obey(const char *command, const char *path, const char *word) {
  size_t chunk = strtoul(word, NULL, 10);
  if (strcmp(command, "others") == 0) return read_others();
  if (strcmp(command, "burn") == 0) return burn_cpu(atol(path));
  if (strcmp(command, "held") == 0) {
    lseek(held, 0, SEEK_SET);
    return read_all(held, chunk);
  }
  int fd = open_or_fail(path);
  if (strcmp(command, "read") == 0) read_all(fd, chunk);
  if (strcmp(command, "pread") == 0) pread_all(fd, chunk);
  if (strcmp(command, "readv") == 0) readv_all(fd, chunk);
  if (strcmp(command, "sendfile") == 0) send_all(fd);
  if (strcmp(command, "threads") == 0) pread_in_threads(fd, (int)chunk);
  if (strcmp(command, "evict") == 0) posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  if (strcmp(command, "delete") == 0) {
    unlink(path);
    read_all(fd, 4096);
  }
  if (strcmp(command, "rename") == 0) {
    if (rename(path, word) < 0) fail("rename");
    read_all(fd, 4096);
  }
  if (strcmp(command, "map") == 0) return touch_all(fd);
  if (strcmp(command, "hold") == 0) {
    held = fd;
    return;
  }
  close(fd);
}

int main(void) {
  char line[4096];
  while (fgets(line, sizeof line, stdin) != NULL) {
    char command[64] = "", path[2048] = "", word[1024] = "";
    sscanf(line, "%63s %2047s %1023s", command, path, word);
    obey(command, path, word);
    puts("done");
    fflush(stdout);
  }
  return 0;
}
