// Presents frames on command, through libraries with the names of OpenGL's. Each line is a command, and the answer is `done`:
//   load FILE                     opens a library; unload FILE closes it
//   present FILE WINDOW COUNT US  calls its function for a window COUNT times, each after US microseconds; the answer also has the
//                                 time before and after each call in nanoseconds (CLOCK_MONOTONIC)
//   thread FILE WINDOW COUNT US   the same on another thread
//   child FILE WINDOW COUNT US    the same in a child process
//   work MS                       uses the CPU for a time, in the function `load_level`
//   read FILE                     reads a file
//   again                         executes this program again
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "load-level.h"

enum { LIBRARIES = 8 };

static struct {
  char file[512];
  void *handle;
  void (*present)(void *display, uintptr_t window);
} libraries[LIBRARIES];

static int read_file(const char *file) {
  static char buffer[65536];
  int descriptor = open(file, O_RDONLY);
  if (descriptor < 0) return -1;
  while (read(descriptor, buffer, sizeof buffer) > 0) continue;
  return close(descriptor);
}

static int load(const char *file) {
  for (int i = 0; i < LIBRARIES; i++) {
    if (libraries[i].handle != NULL) continue;
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) return -1;
    void *present = dlsym(handle, "glXSwapBuffers");
    if (present == NULL) present = dlsym(handle, "eglSwapBuffers");
    snprintf(libraries[i].file, sizeof libraries[i].file, "%s", file);
    libraries[i].handle = handle;
    memcpy(&libraries[i].present, &present, sizeof present);
    return 0;
  }
  return -1;
}

static int find(const char *file) {
  for (int i = 0; i < LIBRARIES; i++) {
    if (libraries[i].handle != NULL && strcmp(libraries[i].file, file) == 0) return i;
  }
  return -1;
}

typedef struct {
  char file[512];
  unsigned long window;
  int count, us;
  int failed;
} Presents;

static void *present(void *argument) {
  Presents *presents = argument;
  int library = find(presents->file);
  if (library < 0 || libraries[library].present == NULL) {
    presents->failed = 1;
    return NULL;
  }
  for (int i = 0; i < presents->count; i++) {
    if (presents->us > 0) usleep((useconds_t)presents->us);
    uint64_t before = now();
    libraries[library].present((void *)0x10, presents->window);
    printf("%llu %llu ", (unsigned long long)before, (unsigned long long)now());
  }
  return NULL;
}

int main(int count, char **arguments) {
  (void)count;
  setvbuf(stdin, NULL, _IONBF, 0); // `again` must not lose commands that were read
  char line[2048], command[16];
  while (fgets(line, sizeof line, stdin) != NULL) {
    Presents presents = {.failed = 0};
    int ms = 0, failed = 0;
    if (sscanf(line, "%15s", command) != 1) continue;
    if (strcmp(command, "again") == 0) {
      puts("done");
      fflush(stdout);
      execv("/proc/self/exe", arguments);
      return 1;
    } else if (strcmp(command, "load") == 0 && sscanf(line, "load %511[^\n]", presents.file) == 1) {
      failed = load(presents.file) != 0;
    } else if (strcmp(command, "unload") == 0 && sscanf(line, "unload %511[^\n]", presents.file) == 1) {
      int library = find(presents.file);
      failed = library < 0 || dlclose(libraries[library].handle) != 0;
      if (library >= 0) libraries[library].handle = NULL;
    } else if (strcmp(command, "read") == 0 && sscanf(line, "read %511[^\n]", presents.file) == 1) {
      failed = read_file(presents.file) != 0;
    } else if (sscanf(line, "work %d", &ms) == 1) {
      load_level(ms);
    } else if (sscanf(line, "%*s %511s %lu %d %d", presents.file, &presents.window, &presents.count, &presents.us) == 4) {
      if (strcmp(command, "present") == 0) {
        present(&presents);
      } else if (strcmp(command, "thread") == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, present, &presents);
        pthread_join(thread, NULL);
      } else if (strcmp(command, "child") == 0) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
          present(&presents);
          _exit(presents.failed); // what it printed is not flushed
        }
        int status = 0;
        waitpid(child, &status, 0);
        presents.failed = status;
      } else {
        failed = 1;
      }
      failed |= presents.failed;
    } else {
      failed = 1;
    }
    puts(failed ? "failed" : "done");
    fflush(stdout);
  }
  return 0;
}
