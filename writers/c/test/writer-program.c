// The program of check-writer.ts in C: executes the commands on its standard input, and answers each with a line.
#define VPT_IMPLEMENTATION
#include "../vpt.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <process.h>
#else
#include <pthread.h>
#include <time.h>
#endif

#ifdef COUNT_ALLOCATIONS
// The linker option --wrap sends the allocations of this file here.
static __thread long allocations;
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_malloc(size_t size) {
  allocations++;
  return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
  allocations++;
  return __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size) {
  allocations++;
  return __real_realloc(memory, size);
}
#else
static long allocations;
#endif

#define LINE_BYTES 1048576
#define THREADS 8
#define CALLS_OF_THREAD 20000

static vpt_writer *trace;
static vpt_asset assets[8];
static char line[LINE_BYTES];
static char *words[8];

static const char *const kinds[] = {"texture", "mesh", "audio", "shader", "script", "data", "video", "font", "other"};
static const char *const phases[] = {"load", "decode", "upload", "compile", "read"};

static int index_of(const char *word, const char *const *list, int count) {
  int i = 0;
  while (i < count && strcmp(list[i], word) != 0) i++;
  return i < count ? i : 99;
}

static double number(int word) { return words[word] == NULL ? -1 : strtod(words[word], NULL); }

// A whole number with a divisor, which is read in the same way in every locale.
static double fraction(int word) {
  const char *slash = words[word] == NULL ? NULL : strchr(words[word], '/');
  return slash == NULL ? number(word) : number(word) / strtod(slash + 1, NULL);
}

static int64_t integer(int word) { return words[word] == NULL ? -1 : (int64_t)strtoll(words[word], NULL, 10); }

// A text in hexadecimal digits, in place. `-` is NULL.
static const char *name(int word) {
  char *text = words[word];
  size_t length = 0;
  if (text == NULL || strcmp(text, "-") == 0) return NULL;
  for (; text[2 * length] != '\0'; length++) {
    char byte[3] = {text[2 * length], text[2 * length + 1], '\0'};
    text[length] = (char)strtol(byte, NULL, 16);
  }
  text[length] = '\0';
  return text;
}

static void open_trace(void) {
  vpt_options options;
  memset(&options, 0, sizeof options);
  options.memory_bytes = (size_t)integer(2);
  options.gpu_name = words[3] == NULL ? NULL : name(3);
  options.gpu_is_software = words[4] != NULL;
  trace = vpt_open(name(1), options.memory_bytes == 0 && options.gpu_name == NULL ? NULL : &options);
}

static void call_four(const char *text, int i) {
  vpt_mark(trace, text);
  vpt_frame_with(trace, 1);
  vpt_counter(trace, text, "count", i);
  vpt_span(trace, text, NULL, 0, 1);
}

static void call_from_thread(void) {
  for (int i = 0; i < CALLS_OF_THREAD; i++) call_four("thread", i);
}

#ifdef _WIN32
static unsigned __stdcall thread_main(void *unused) {
  (void)unused;
  call_from_thread();
  return 0;
}

static void call_from_threads(void) {
  HANDLE threads[THREADS];
  for (int i = 0; i < THREADS; i++) threads[i] = (HANDLE)_beginthreadex(NULL, 0, thread_main, NULL, 0, NULL);
  WaitForMultipleObjects(THREADS, threads, TRUE, INFINITE);
}

static void sleep_ms(int ms) { Sleep((DWORD)ms); }
#else
static void *thread_main(void *unused) {
  (void)unused;
  call_from_thread();
  return NULL;
}

static void call_from_threads(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, thread_main, NULL);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
}

static void sleep_ms(int ms) {
  struct timespec time;
  time.tv_sec = ms / 1000;
  time.tv_nsec = ms % 1000 * 1000000L;
  nanosleep(&time, NULL);
}
#endif

// Every kind of call, `rounds` times. Returns the number of calls that make a record.
static long call_all(int rounds) {
  for (int i = 0; i < rounds; i++) {
    vpt_asset asset = vpt_register_asset(trace, "a", VPT_OTHER, 1, 1);
    vpt_skip_frame(trace);
    vpt_frame(trace);
    vpt_frame_measured(trace, 1, 1, 1, 1);
    vpt_frame_at(trace, 1, 1, 1, 1, 1, 1);
    call_four("a", i);
    vpt_span_since(trace, "a", "b", 0);
    vpt_asset_phase(trace, &asset, VPT_LOAD, 1, 1, 1);
    vpt_release_asset(trace, &asset);
  }
  return 11L * rounds;
}

static double ns_per_call(const char *what, int calls) {
  double start = vpt_now(trace);
  bool frame = strcmp(what, "frame") == 0, mark = strcmp(what, "mark") == 0, counter = strcmp(what, "counter") == 0;
  for (int i = 0; i < calls; i++) {
    if (frame) vpt_frame(trace);
    else if (mark) vpt_mark(trace, "boss appears");
    else if (counter) vpt_counter(trace, "enemies", "count", i);
    else vpt_span_since(trace, "physics", "update", vpt_now(trace));
  }
  return (vpt_now(trace) - start) * 1e6 / calls;
}

static void run_until_killed(void) {
  for (int i = 0;; i++) {
    vpt_frame(trace);
    vpt_counter(trace, "step", "count", i);
    sleep_ms(1);
  }
}

// Executes one command, and prints its answer without the LF.
static void execute(const char *command) {
#define IS(text) (strcmp(command, text) == 0)
  if (IS("open")) open_trace();
  else if (IS("frame")) vpt_frame(trace);
  else if (IS("skip_frame")) vpt_skip_frame(trace);
  else if (IS("frame_with")) vpt_frame_with(trace, fraction(1));
  else if (IS("frame_measured")) vpt_frame_measured(trace, number(1), number(2), integer(3), integer(4));
  else if (IS("frame_at")) vpt_frame_at(trace, number(1), number(2), number(3), number(4), integer(5), integer(6));
  else if (IS("span")) vpt_span(trace, name(1), name(2), number(3), number(4));
  else if (IS("span_since")) vpt_span_since(trace, name(1), name(2), number(3));
  else if (IS("mark")) vpt_mark(trace, name(1));
  else if (IS("counter")) vpt_counter(trace, name(1), name(2), fraction(3));
  else if (IS("asset")) {
    vpt_kind kind = (vpt_kind)index_of(words[3], kinds, 9);
    assets[integer(1)] = vpt_register_asset(trace, name(2), kind, integer(4), integer(5));
    printf("%d ", (int)assets[integer(1)].id);
  } else if (IS("sizes")) {
    assets[integer(1)].bytes = integer(2);
    assets[integer(1)].gpu_bytes = integer(3);
  } else if (IS("phase")) {
    vpt_phase phase = (vpt_phase)index_of(words[2], phases, 5);
    vpt_asset_phase(trace, &assets[integer(1)], phase, number(3), number(4), number(5));
  } else if (IS("release")) vpt_release_asset(trace, &assets[integer(1)]);
  else if (IS("sleep")) sleep_ms((int)integer(1));
  else if (IS("now")) printf("%.3f ", vpt_now(trace));
  else if (IS("all")) {
    long before = allocations;
    long calls = call_all((int)integer(1));
    printf("%ld %ld ", calls, allocations - before);
  }
  else if (IS("threads")) {
    call_from_threads();
    printf("%d ", 4 * THREADS * CALLS_OF_THREAD);
  } else if (IS("ns")) printf("%.0f ", ns_per_call(words[1], (int)integer(2)));
  else if (IS("endless")) run_until_killed();
  else if (IS("locale")) printf("%s %.1f ", setlocale(LC_ALL, "") == NULL ? "no" : "yes", 1.5);
  else if (IS("state")) {
    const char *error = vpt_error(trace);
    printf("%s %d %s ", vpt_is_open(trace) ? "open" : "closed", (int)vpt_lost(trace), error == NULL ? "no error" : error);
  } else if (IS("close")) vpt_close(trace, name(1));
  else if (IS("free")) {
    vpt_free(trace);
    trace = NULL;
  } else printf("unknown command ");
}

int main(void) {
  while (fgets(line, LINE_BYTES, stdin) != NULL) {
    int count = 0;
    memset(words, 0, sizeof words);
    for (char *word = strtok(line, " \r\n"); word != NULL && count < 8; word = strtok(NULL, " \r\n")) words[count++] = word;
    if (count > 0) execute(words[0]);
    printf("done\n");
    fflush(stdout);
  }
  vpt_free(trace);
  return 0;
}
