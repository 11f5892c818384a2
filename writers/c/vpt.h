// vpt.h writes a `.vpt` trace of a game while the game runs. Copy this file into your project. It has no dependencies and
// works in C99 and C++, on Windows and on systems with POSIX threads. Licence: Apache-2.0.
//
// One source file of the project, preferably one with only these two lines, contains the code:
//
//     #define VPT_IMPLEMENTATION
//     #include "vpt.h"
//
// All other files only include vpt.h:
//
//     vpt_writer *trace = vpt_open("game.vpt", NULL);
//     while (running) {
//         double start = vpt_now(trace);
//         step_physics();
//         vpt_span_since(trace, "physics", NULL, start);
//         present();
//         vpt_frame(trace);
//     }
//     vpt_close(trace, NULL);
//     vpt_free(trace);
//
// A call copies one small record into memory of a fixed size. It allocates nothing and never waits for the disk. A background
// thread formats the records and writes them as whole lines, at least every 100 ms. If the disk is too slow, the memory becomes
// full. Then records are dropped and counted, and a `loss` record in the trace states the count.
//
// All functions but vpt_open and vpt_free may be called from any thread, but not from a signal handler, because they lock a
// mutex while they copy the record. After vpt_close, after a failed write, with a file that could not be opened, and with NULL
// they do nothing. A process that the game makes by `fork` has no background thread: it must not use the writer before `exec`.
//
// Times and durations are in milliseconds, rounded to microseconds. A time counts from the start of the trace (see vpt_now). A
// record with a time or duration that is negative, not a number, or over 285 years is ignored.
//
// Names are in UTF-8, and NULL is the same as "". They are copied, and cut to 255 bytes. Before they are written, invalid UTF-8 is
// replaced by U+FFFD, URLs lose user, query and fragment, and absolute paths lose their folders.

#if defined(VPT_IMPLEMENTATION) && !defined(_WIN32) && defined(__STRICT_ANSI__) && !defined(_POSIX_C_SOURCE) && \
    !defined(_XOPEN_SOURCE) && !defined(_DEFAULT_SOURCE) && !defined(_GNU_SOURCE)
// Without it, -std=c99 hides the functions of POSIX.
#define _POSIX_C_SOURCE 200809L
#endif

#ifndef VPT_H
#define VPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The version of this file, in the header of the trace.
#define VPT_WRITER_VERSION "1"
// Longest name, in bytes. Longer names are cut.
#define VPT_NAME_BYTES 255

// One trace that is being written.
typedef struct vpt_writer vpt_writer;

// Settings of a trace. 0 and NULL stand for the defaults.
typedef struct vpt_options {
  // Bytes of memory for records that are not written yet, at least 65,536. Default: 1,048,576. A record takes 64 bytes and its
  // names. Half of the memory takes new records while the other half is written.
  size_t memory_bytes;
  // The name of the program that writes the trace, in the header. Default: "vpt.h".
  const char *producer;
  // The name of the graphics adapter, for example GL_RENDERER. Default: unknown.
  const char *gpu_name;
  // True if the graphics adapter renders on the CPU. Its times then say nothing about a computer with a GPU.
  bool gpu_is_software;
} vpt_options;

// What an asset is.
typedef enum vpt_kind {
  VPT_TEXTURE,
  VPT_MESH,
  VPT_AUDIO,
  VPT_SHADER,
  VPT_SCRIPT,
  VPT_DATA,
  VPT_VIDEO,
  VPT_FONT,
  VPT_OTHER
} vpt_kind;

// What was done with an asset. VPT_READ is a part of its file that was read; VPT_UPLOAD is its copy to the GPU.
typedef enum vpt_phase { VPT_LOAD, VPT_DECODE, VPT_UPLOAD, VPT_COMPILE, VPT_READ } vpt_phase;

// An asset of the game, as vpt_register_asset returns it. It may be copied. If a size becomes known or changes, set it before
// the next call with the asset.
typedef struct vpt_asset {
  // The number of the asset in the trace. 0 is no asset: calls with it do nothing.
  int64_t id;
  // Bytes of the decoded asset in main memory. Negative if unknown.
  int64_t bytes;
  // Bytes of the asset on the GPU. Negative if unknown.
  int64_t gpu_bytes;
  vpt_kind kind;
  // The name that reports show, for example the path in the game's folder.
  char name[VPT_NAME_BYTES + 1];
} vpt_asset;

// Creates the file, or replaces it, and writes the header. `path` is in UTF-8, and its folder must exist. `options` may be NULL.
// If the file cannot be written, vpt_error states why. Returns NULL only if memory is missing. Opening a FIFO waits for its reader.
vpt_writer *vpt_open(const char *path, const vpt_options *options);

// Writes what is pending and the `end` record, ends the thread, and closes the file. Waits for the disk. `reason` states why the
// trace ends, in lower-case words; NULL and "" stand for "closed". A second call does nothing. DllMain must not call it, because
// Windows ends no thread meanwhile.
void vpt_close(vpt_writer *writer, const char *reason);

// Closes the writer if it is open, and frees its memory. No other call may use it at the same time or later.
void vpt_free(vpt_writer *writer);

// True while records are accepted: the file is open, no write failed, and vpt_close was not called.
bool vpt_is_open(vpt_writer *writer);

// Why the file could not be opened or written, or NULL. After a failed write the trace ends there. The text is valid until vpt_free.
const char *vpt_error(vpt_writer *writer);

// The number of records that were dropped because the memory was full.
uint64_t vpt_lost(vpt_writer *writer);

// Milliseconds since the start of the trace, by the monotonic clock. 0 without a writer.
double vpt_now(vpt_writer *writer);

// A frame was presented. Call it once for each frame: the frame lasts from the previous call to this one. The first call writes
// nothing. After a pause of the game, call vpt_skip_frame first.
void vpt_frame(vpt_writer *writer);

// The same as vpt_frame, with what the game measured in the frame: the time that the GPU worked, the time that the main thread
// worked without waiting, the number of draw calls, and the number of triangles. Negative values are unknown.
void vpt_frame_measured(vpt_writer *writer, double gpu_ms, double main_ms, int64_t draws, int64_t triangles);

// Starts the next frame now, without a frame before it. Call it when the game continues after a pause.
void vpt_skip_frame(vpt_writer *writer);

// A frame of a known duration ends now. It begins when the previous frame ended, unless that was more than 2 ms and more than
// half of its duration earlier: then there was a pause between them. Frames never overlap.
void vpt_frame_with(vpt_writer *writer, double duration_ms);

// A frame that began at `start_ms`. Use it if the values of a frame are known only some frames later. Frames must come in order:
// the rules of vpt_frame_with about pauses and overlap apply. For the other values see vpt_frame_measured.
void vpt_frame_at(vpt_writer *writer, double start_ms, double duration_ms, double gpu_ms, double main_ms, int64_t draws,
                  int64_t triangles);

// A part of the game's work: a level that is played, a load, a part of the frame. Spans of one name belong together. `track` is
// the row in which views show the span, or NULL. `loading` is for loads, and `gc` for garbage collection. The tracks `rendering`
// and `gpu process` have a meaning of their own for web pages: do not use them.
void vpt_span(vpt_writer *writer, const char *name, const char *track, double start_ms, double duration_ms);

// A span from `start_ms` (see vpt_now) until now.
void vpt_span_since(vpt_writer *writer, const char *name, const char *track, double start_ms);

// A point in time with a name, now: a checkpoint, a wave of enemies, a save.
void vpt_mark(vpt_writer *writer, const char *name);

// The value of a counter, now. `unit` is the unit of all its values: `bytes`, `ms`, `count`, `percent`, or another. Reserved names:
// `gpu_bytes` is the GPU memory of all assets, `io_read_bytes` the bytes read from storage. A value that is not finite is ignored.
void vpt_counter(vpt_writer *writer, const char *name, const char *unit, double value);

// Names an asset. Negative sizes are unknown. If the record is dropped, the asset is still valid: its phases name it too. The id of
// the result is 0 if the writer is closed or the kind is invalid.
vpt_asset vpt_register_asset(vpt_writer *writer, const char *name, vpt_kind kind, int64_t bytes, int64_t gpu_bytes);

// Work on an asset, with its known sizes. `main_thread_ms` is the part of the duration in which it blocked the frame: 0 if another
// thread did the work, negative if unknown.
void vpt_asset_phase(vpt_writer *writer, const vpt_asset *asset, vpt_phase phase, double start_ms, double duration_ms,
                     double main_thread_ms);

// The memory of an asset was freed now. Its known sizes become 0 in the trace. Call it for every asset with a size or for none: a
// trace with some releases lists the other assets as never released.
void vpt_release_asset(vpt_writer *writer, const vpt_asset *asset);

#ifdef __cplusplus
}
#endif
#endif // VPT_H

#if defined(VPT_IMPLEMENTATION) && !defined(VPT_IMPLEMENTED)
#define VPT_IMPLEMENTED

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- The system: a mutex, a thread, two clocks, a file. ----

#ifdef _WIN32

#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#include <process.h>

typedef SRWLOCK vpti_mutex;
typedef HANDLE vpti_thread;
typedef HANDLE vpti_file;

static void vpti_init_mutex(vpti_mutex *mutex) { InitializeSRWLock(mutex); }
static void vpti_free_mutex(vpti_mutex *mutex) { (void)mutex; }
static void vpti_lock(vpti_mutex *mutex) { AcquireSRWLockExclusive(mutex); }
static void vpti_unlock(vpti_mutex *mutex) { ReleaseSRWLockExclusive(mutex); }

static void vpti_write_until_closed(vpt_writer *writer);

static unsigned __stdcall vpti_thread_main(void *writer) {
  vpti_write_until_closed((vpt_writer *)writer);
  return 0;
}

static bool vpti_start_thread(vpti_thread *thread, vpt_writer *writer) {
  *thread = (HANDLE)_beginthreadex(NULL, 0, vpti_thread_main, writer, 0, NULL);
  return *thread != NULL;
}

static void vpti_join_thread(vpti_thread thread) {
  WaitForSingleObject(thread, INFINITE);
  CloseHandle(thread);
}

static unsigned long vpti_process_id(void) { return GetCurrentProcessId(); }

static void vpti_sleep_ms(int ms) { Sleep((DWORD)ms); }

// Microseconds of the monotonic clock.
static int64_t vpti_clock_us(void) {
  LARGE_INTEGER count, frequency;
  QueryPerformanceCounter(&count);
  QueryPerformanceFrequency(&frequency);
  int64_t seconds = count.QuadPart / frequency.QuadPart;
  int64_t rest = count.QuadPart % frequency.QuadPart;
  return seconds * 1000000 + rest * 1000000 / frequency.QuadPart;
}

// Year, month, day, hour, minute, second and millisecond in UTC.
static void vpti_utc(int fields[7]) {
  SYSTEMTIME now;
  GetSystemTime(&now);
  fields[0] = now.wYear;
  fields[1] = now.wMonth;
  fields[2] = now.wDay;
  fields[3] = now.wHour;
  fields[4] = now.wMinute;
  fields[5] = now.wSecond;
  fields[6] = now.wMilliseconds;
}

static bool vpti_open_file(vpti_file *file, const char *path) {
  int length = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, NULL, 0);
  wchar_t *wide = length > 0 ? (wchar_t *)malloc(sizeof(wchar_t) * (size_t)length) : NULL;
  if (wide == NULL) return false;
  MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide, length);
  *file = CreateFileW(wide, GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL, CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);
  DWORD problem = GetLastError();
  free(wide);
  SetLastError(problem);
  return *file != INVALID_HANDLE_VALUE;
}

static bool vpti_write_file(vpti_file file, const char *bytes, size_t length) {
  while (length > 0) {
    DWORD written = 0;
    if (!WriteFile(file, bytes, (DWORD)length, &written, NULL) || written == 0) return false;
    bytes += written;
    length -= written;
  }
  return true;
}

static void vpti_cut_file(vpti_file file, int64_t length) {
  LARGE_INTEGER end;
  end.QuadPart = length;
  if (SetFilePointerEx(file, end, NULL, FILE_BEGIN)) SetEndOfFile(file);
}

static bool vpti_close_file(vpti_file file) { return CloseHandle(file) != 0; }

static void vpti_describe_problem(char *text, size_t size, const char *what) {
  snprintf(text, size, "%s: Windows error %lu", what, (unsigned long)GetLastError());
}

#else

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#ifndef CLOCK_MONOTONIC
#error "Define VPT_IMPLEMENTATION in a file that includes vpt.h before all other headers."
#endif

typedef pthread_mutex_t vpti_mutex;
typedef pthread_t vpti_thread;
typedef int vpti_file;

static void vpti_init_mutex(vpti_mutex *mutex) { pthread_mutex_init(mutex, NULL); }
static void vpti_free_mutex(vpti_mutex *mutex) { pthread_mutex_destroy(mutex); }
static void vpti_lock(vpti_mutex *mutex) { pthread_mutex_lock(mutex); }
static void vpti_unlock(vpti_mutex *mutex) { pthread_mutex_unlock(mutex); }

static void vpti_write_until_closed(vpt_writer *writer);

static void *vpti_thread_main(void *writer) {
  vpti_write_until_closed((vpt_writer *)writer);
  return NULL;
}

// The thread blocks all signals: the game's handlers run in the game's threads, and a write to a closed pipe only fails.
static bool vpti_start_thread(vpti_thread *thread, vpt_writer *writer) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  errno = pthread_create(thread, NULL, vpti_thread_main, writer);
  bool started = errno == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return started;
}

static void vpti_join_thread(vpti_thread thread) { pthread_join(thread, NULL); }

static unsigned long vpti_process_id(void) { return (unsigned long)getpid(); }

static void vpti_sleep_ms(int ms) {
  struct timespec time;
  time.tv_sec = 0;
  time.tv_nsec = ms * 1000000L;
  nanosleep(&time, NULL);
}

// Microseconds of the monotonic clock.
static int64_t vpti_clock_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

// Year, month, day, hour, minute, second and millisecond in UTC.
static void vpti_utc(int fields[7]) {
  struct timespec now;
  struct tm utc;
  clock_gettime(CLOCK_REALTIME, &now);
  gmtime_r(&now.tv_sec, &utc);
  fields[0] = utc.tm_year + 1900;
  fields[1] = utc.tm_mon + 1;
  fields[2] = utc.tm_mday;
  fields[3] = utc.tm_hour;
  fields[4] = utc.tm_min;
  fields[5] = utc.tm_sec;
  fields[6] = (int)(now.tv_nsec / 1000000);
}

static bool vpti_open_file(vpti_file *file, const char *path) {
  *file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  return *file >= 0;
}

static bool vpti_write_file(vpti_file file, const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t written = write(file, bytes, length);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes += written;
    length -= (size_t)written;
  }
  return true;
}

static void vpti_cut_file(vpti_file file, int64_t length) {
  // A pipe or device cannot be cut: then its last line stays torn.
  if (ftruncate(file, (off_t)length) != 0) return;
}

static bool vpti_close_file(vpti_file file) { return close(file) == 0; }

static void vpti_describe_problem(char *text, size_t size, const char *what) {
  snprintf(text, size, "%s: %s", what, strerror(errno));
}

#endif

// ---- The state of a writer. ----

#define VPTI_SMALLEST_MEMORY 65536
#define VPTI_DEFAULT_MEMORY 1048576
// The thread looks at the memory this often, and writes if the last write was this long ago or the memory is half full.
#define VPTI_LOOK_EVERY_MS 10
#define VPTI_WRITE_EVERY_US 80000
#define VPTI_FRAMES_PER_LINE 256
// A line has at most half of this: 256 frames with five values of at most 18 bytes.
#define VPTI_LINES_BYTES 65536
// The latest time of the format, in milliseconds, and the largest count.
#define VPTI_LATEST_MS 9007199254740.0
#define VPTI_LARGEST_COUNT 9007199254740991
// An absent value of a record.
#define VPTI_NONE (-1)

enum { VPTI_FRAME, VPTI_SPAN, VPTI_MARK, VPTI_COUNTER, VPTI_NAMED, VPTI_PHASE, VPTI_RELEASE };

// The numbers of a record. Of a frame: the first two are times. Of an asset: the last one is a time.
enum { VPTI_GPU, VPTI_MAIN, VPTI_DRAWS, VPTI_TRIANGLES };
enum { VPTI_ID, VPTI_BYTES, VPTI_GPU_BYTES, VPTI_MAIN_THREAD };

// One call. In memory, the bytes of its name and its second name (track, unit) follow. Times are in microseconds.
typedef struct vpti_record {
  uint8_t type, kind, phase, name_bytes, text_bytes;
  int64_t time;
  int64_t duration;
  int64_t numbers[4];
  double value;
} vpti_record;

struct vpt_writer {
  // The mutex protects all fields up to `error`. No thread holds it while it formats or writes.
  vpti_mutex mutex;
  // The game fills one half of the memory. The thread swaps it with the half that it has written.
  char *filling;
  size_t filled;
  bool open;
  bool closing;
  int64_t end_time;
  char end_reason[VPT_NAME_BYTES + 1];
  uint64_t lost;
  uint64_t lost_before;
  int64_t first_lost;
  int64_t last_frame;
  int64_t frame_end;
  int64_t assets;
  char error[200];

  // These do not change after vpt_open.
  size_t half;
  int64_t started;
  unsigned long process_id;
  bool has_thread;
  vpti_thread thread;

  // Only the thread uses these after vpt_open.
  char *writing;
  vpti_file file;
  bool failed;
  int64_t written;
  vpti_record frames[VPTI_FRAMES_PER_LINE];
  int frame_count;
  char lines[VPTI_LINES_BYTES];
  size_t lines_used;
};

// ---- The calls of the game: they fill records. ----

static int64_t vpti_now_us(const vpt_writer *writer) { return vpti_clock_us() - writer->started; }

// Looks at the bits, because compilers with -ffast-math assume that all numbers are finite.
static bool vpti_is_finite(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return (bits >> 52 & 0x7ff) != 0x7ff;
}

// Returns false for a time that the format does not have.
static bool vpti_to_us(double ms, int64_t *us) {
  bool valid = vpti_is_finite(ms) && ms >= 0 && ms <= VPTI_LATEST_MS;
  *us = valid ? (int64_t)(ms * 1000 + 0.5) : 0;
  return valid;
}

static int64_t vpti_optional_us(double ms) {
  int64_t us;
  return vpti_to_us(ms, &us) ? us : VPTI_NONE;
}

static const char *vpti_or_empty(const char *name) { return name == NULL ? "" : name; }

// The length of a name, cut to VPT_NAME_BYTES before a character of UTF-8.
static uint8_t vpti_name_bytes(const char *name) {
  size_t length = 0, character = 0;
  for (; name[length] != '\0'; length++) {
    if (((unsigned char)name[length] & 0xc0) != 0x80) character = length;
    if (length == VPT_NAME_BYTES) return (uint8_t)character;
  }
  return (uint8_t)length;
}

static vpti_record vpti_new_record(int type, int64_t time, int64_t duration) {
  vpti_record record;
  memset(&record, 0, sizeof record);
  record.type = (uint8_t)type;
  record.time = time;
  record.duration = duration;
  return record;
}

// Copies a record into memory, or counts it as lost. The caller holds the mutex.
static void vpti_add_locked(vpt_writer *writer, const vpti_record *record, const char *name, const char *text) {
  size_t size = sizeof *record + record->name_bytes + record->text_bytes;
  if (!writer->open) return;
  if (writer->filled + size > writer->half) {
    if (writer->lost++ == 0) writer->first_lost = vpti_now_us(writer);
    return;
  }
  char *end = writer->filling + writer->filled;
  memcpy(end, record, sizeof *record);
  memcpy(end + sizeof *record, name, record->name_bytes);
  memcpy(end + sizeof *record + record->name_bytes, text, record->text_bytes);
  writer->filled += size;
}

static void vpti_add(vpt_writer *writer, vpti_record *record, const char *name, const char *text) {
  name = vpti_or_empty(name);
  text = vpti_or_empty(text);
  record->name_bytes = vpti_name_bytes(name);
  record->text_bytes = vpti_name_bytes(text);
  vpti_lock(&writer->mutex);
  vpti_add_locked(writer, record, name, text);
  vpti_unlock(&writer->mutex);
}

// The caller holds the mutex.
static void vpti_add_frame_locked(vpt_writer *writer, int64_t start, int64_t duration, double gpu_ms, double main_ms, int64_t draws,
                                  int64_t triangles) {
  int64_t pause = start - writer->frame_end;
  if (writer->frame_end != VPTI_NONE && pause <= (duration > 4000 ? duration / 2 : 2000)) start = writer->frame_end;
  if (start < 0) start = 0;
  if (start > (int64_t)VPTI_LATEST_MS * 1000) return;
  writer->frame_end = start + duration;
  vpti_record record = vpti_new_record(VPTI_FRAME, start, duration);
  record.numbers[VPTI_GPU] = vpti_optional_us(gpu_ms);
  record.numbers[VPTI_MAIN] = vpti_optional_us(main_ms);
  record.numbers[VPTI_DRAWS] = draws;
  record.numbers[VPTI_TRIANGLES] = triangles;
  vpti_add_locked(writer, &record, "", "");
}

double vpt_now(vpt_writer *writer) {
  return writer == NULL ? 0 : (double)vpti_now_us(writer) / 1000;
}

bool vpt_is_open(vpt_writer *writer) {
  if (writer == NULL) return false;
  vpti_lock(&writer->mutex);
  bool open = writer->open;
  vpti_unlock(&writer->mutex);
  return open;
}

const char *vpt_error(vpt_writer *writer) {
  if (writer == NULL) return "there is no writer";
  vpti_lock(&writer->mutex);
  // The text does not change again once it is not empty.
  const char *error = writer->error[0] == '\0' ? NULL : writer->error;
  vpti_unlock(&writer->mutex);
  return error;
}

uint64_t vpt_lost(vpt_writer *writer) {
  if (writer == NULL) return 0;
  vpti_lock(&writer->mutex);
  uint64_t lost = writer->lost_before + writer->lost;
  vpti_unlock(&writer->mutex);
  return lost;
}

void vpt_frame(vpt_writer *writer) { vpt_frame_measured(writer, -1, -1, -1, -1); }

void vpt_frame_measured(vpt_writer *writer, double gpu_ms, double main_ms, int64_t draws, int64_t triangles) {
  if (writer == NULL) return;
  vpti_lock(&writer->mutex);
  int64_t now = vpti_now_us(writer);
  int64_t start = writer->last_frame;
  writer->last_frame = now;
  if (start != VPTI_NONE) vpti_add_frame_locked(writer, start, now - start, gpu_ms, main_ms, draws, triangles);
  vpti_unlock(&writer->mutex);
}

void vpt_skip_frame(vpt_writer *writer) {
  if (writer == NULL) return;
  vpti_lock(&writer->mutex);
  writer->last_frame = vpti_now_us(writer);
  vpti_unlock(&writer->mutex);
}

void vpt_frame_with(vpt_writer *writer, double duration_ms) {
  int64_t duration;
  if (writer == NULL || !vpti_to_us(duration_ms, &duration)) return;
  vpti_lock(&writer->mutex);
  vpti_add_frame_locked(writer, vpti_now_us(writer) - duration, duration, -1, -1, -1, -1);
  vpti_unlock(&writer->mutex);
}

void vpt_frame_at(vpt_writer *writer, double start_ms, double duration_ms, double gpu_ms, double main_ms, int64_t draws,
                  int64_t triangles) {
  int64_t start, duration;
  if (writer == NULL || !vpti_to_us(start_ms, &start) || !vpti_to_us(duration_ms, &duration)) return;
  vpti_lock(&writer->mutex);
  vpti_add_frame_locked(writer, start, duration, gpu_ms, main_ms, draws, triangles);
  vpti_unlock(&writer->mutex);
}

void vpt_span(vpt_writer *writer, const char *name, const char *track, double start_ms, double duration_ms) {
  int64_t start, duration;
  if (writer == NULL || !vpti_to_us(start_ms, &start) || !vpti_to_us(duration_ms, &duration)) return;
  vpti_record record = vpti_new_record(VPTI_SPAN, start, duration);
  vpti_add(writer, &record, name, track);
}

void vpt_span_since(vpt_writer *writer, const char *name, const char *track, double start_ms) {
  vpt_span(writer, name, track, start_ms, vpt_now(writer) - start_ms);
}

void vpt_mark(vpt_writer *writer, const char *name) {
  if (writer == NULL) return;
  vpti_record record = vpti_new_record(VPTI_MARK, vpti_now_us(writer), VPTI_NONE);
  vpti_add(writer, &record, name, "");
}

void vpt_counter(vpt_writer *writer, const char *name, const char *unit, double value) {
  if (writer == NULL || !vpti_is_finite(value)) return;
  vpti_record record = vpti_new_record(VPTI_COUNTER, vpti_now_us(writer), VPTI_NONE);
  record.value = value;
  vpti_add(writer, &record, name, unit);
}

static vpti_record vpti_asset_record(int type, const vpt_asset *asset, int64_t time, int64_t duration) {
  vpti_record record = vpti_new_record(type, time, duration);
  record.kind = (uint8_t)asset->kind;
  record.numbers[VPTI_ID] = asset->id;
  record.numbers[VPTI_BYTES] = asset->bytes;
  record.numbers[VPTI_GPU_BYTES] = asset->gpu_bytes;
  record.numbers[VPTI_MAIN_THREAD] = VPTI_NONE;
  return record;
}

static bool vpti_is_asset(const vpt_asset *asset) {
  return asset != NULL && asset->id > 0 && (int)asset->kind >= VPT_TEXTURE && (int)asset->kind <= VPT_OTHER;
}

vpt_asset vpt_register_asset(vpt_writer *writer, const char *name, vpt_kind kind, int64_t bytes, int64_t gpu_bytes) {
  vpt_asset asset;
  memset(&asset, 0, sizeof asset);
  asset.bytes = bytes;
  asset.gpu_bytes = gpu_bytes;
  asset.kind = kind;
  name = vpti_or_empty(name);
  uint8_t length = vpti_name_bytes(name);
  memcpy(asset.name, name, length);
  if (writer == NULL || (int)kind < VPT_TEXTURE || (int)kind > VPT_OTHER) return asset;
  vpti_lock(&writer->mutex);
  if (writer->open) {
    asset.id = ++writer->assets;
    vpti_record record = vpti_asset_record(VPTI_NAMED, &asset, vpti_now_us(writer), VPTI_NONE);
    record.name_bytes = length;
    vpti_add_locked(writer, &record, asset.name, "");
  }
  vpti_unlock(&writer->mutex);
  return asset;
}

void vpt_asset_phase(vpt_writer *writer, const vpt_asset *asset, vpt_phase phase, double start_ms, double duration_ms,
                     double main_thread_ms) {
  int64_t start, duration;
  if (writer == NULL || !vpti_is_asset(asset) || (int)phase < VPT_LOAD || (int)phase > VPT_READ) return;
  if (!vpti_to_us(start_ms, &start) || !vpti_to_us(duration_ms, &duration)) return;
  vpti_record record = vpti_asset_record(VPTI_PHASE, asset, start, duration);
  record.phase = (uint8_t)phase;
  record.numbers[VPTI_MAIN_THREAD] = vpti_optional_us(main_thread_ms);
  vpti_add(writer, &record, asset->name, "");
}

void vpt_release_asset(vpt_writer *writer, const vpt_asset *asset) {
  if (writer == NULL || !vpti_is_asset(asset)) return;
  vpti_record record = vpti_asset_record(VPTI_RELEASE, asset, vpti_now_us(writer), VPTI_NONE);
  vpti_add(writer, &record, "", "");
}

// ---- Names. They are cleaned as section 2.5 of docs/vpt.md requires and packages/trace/src/vpt/clean-name.ts does. ----

static bool vpti_is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool vpti_is_digit(char c) { return c >= '0' && c <= '9'; }
static bool vpti_is_slash(char c) { return c == '/' || c == '\\'; }

static bool vpti_is_one_of(char c, const char *set) { return c != '\0' && strchr(set, c) != NULL; }

static bool vpti_is_scheme_char(char c) { return vpti_is_letter(c) || vpti_is_digit(c) || vpti_is_one_of(c, "+.-"); }

// Whether text begins with a lower-case prefix, without regard to the case of ASCII letters.
static bool vpti_begins_with(const char *text, size_t length, const char *prefix) {
  size_t i = 0;
  for (; prefix[i] != '\0'; i++) {
    if (i == length || (vpti_is_letter(text[i]) ? text[i] | 0x20 : text[i]) != prefix[i]) return false;
  }
  return true;
}

// The length of the white space character at the start of text: 0 if there is none.
static size_t vpti_space_at(const char *text, size_t length) {
  static const char *const wide[] = {"\xc2\xa0",     "\xe1\x9a\x80", "\xe2\x80\xa8", "\xe2\x80\xa9",
                                     "\xe2\x80\xaf", "\xe2\x81\x9f", "\xe3\x80\x80", "\xef\xbb\xbf"};
  if (length == 0) return 0;
  if (text[0] == ' ' || (text[0] >= '\t' && text[0] <= '\r')) return 1;
  if ((unsigned char)text[0] < 0x80) return 0;
  for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++) {
    size_t size = strlen(wide[i]);
    if (size <= length && memcmp(text, wide[i], size) == 0) return size;
  }
  // U+2000 to U+200A.
  bool narrow = length >= 3 && memcmp(text, "\xe2\x80", 2) == 0 && (unsigned char)text[2] >= 0x80 && (unsigned char)text[2] <= 0x8a;
  return narrow ? 3 : 0;
}

static bool vpti_is_space_before(const char *text, size_t at) {
  for (size_t size = 1; size <= 3 && size <= at; size++) {
    if (vpti_space_at(text + at - size, size) == size) return true;
  }
  return false;
}

// The length of `scheme://` at the start of text: 0 if there is none.
static size_t vpti_scheme_length(const char *text, size_t length) {
  size_t i = 0;
  if (length == 0 || !vpti_is_letter(text[0])) return 0;
  while (i < length && vpti_is_scheme_char(text[i])) i++;
  return i + 3 <= length && memcmp(text + i, "://", 3) == 0 ? i + 3 : 0;
}

// The index of the first white space or character of `stops` from `at` on, or the length.
static size_t vpti_find_stop(const char *text, size_t at, size_t length, const char *stops) {
  while (at < length && !vpti_is_one_of(text[at], stops) && vpti_space_at(text + at, length - at) == 0) at++;
  return at;
}

// The end of the URL or absolute path that begins at `at`: `at` itself if none begins there.
static size_t vpti_private_end(const char *text, size_t at, size_t length) {
  static const char path_stops[] = "\"'(),;|<>[]{}";
  const char *rest = text + at;
  size_t left = length - at;
  char before = at == 0 ? '\0' : text[at - 1];
  size_t scheme = vpti_is_scheme_char(before) ? 0 : vpti_scheme_length(rest, left);
  if (scheme > 0) return vpti_find_stop(text, at + scheme, length, "\"'()<>");
  if (vpti_begins_with(rest, left, "data:")) return vpti_find_stop(text, at + 5, length, "\"'()<>\\");
  size_t slash = rest[0] == '~' ? 1 : 0;
  if (slash < left && rest[slash] == '/') {
    bool after_stop = at == 0 || vpti_is_one_of(before, "\"'(),;=:@|<>[]{}") || vpti_is_space_before(text, at);
    if (after_stop) return vpti_find_stop(text, at + slash + 1, length, path_stops);
  }
  bool in_word = vpti_is_letter(before) || vpti_is_digit(before);
  if (left >= 3 && !in_word && vpti_is_letter(rest[0]) && rest[1] == ':' && vpti_is_slash(rest[2])) {
    return vpti_find_stop(text, at + 3, length, path_stops);
  }
  if (left >= 3 && rest[0] == '\\' && rest[1] == '\\') {
    size_t end = vpti_find_stop(text, at + 2, length, path_stops);
    if (end > at + 2) return end;
  }
  return at;
}

// Copies the last part of a path. Returns its length.
static size_t vpti_last_part(char *out, const char *path, size_t length) {
  for (size_t end = length; end > 0; end--) {
    size_t start = end;
    while (start > 0 && !vpti_is_slash(path[start - 1])) start--;
    bool empty = start == end || (end - start == 1 && path[start] == '~');
    if (!empty) {
      memcpy(out, path + start, end - start);
      return end - start;
    }
    if (start < end) end = start + 1;
  }
  out[0] = '/';
  return 1;
}

// Copies a URL without its user part and the names of releases: `/.release/ID`, `/.preview/TOKEN`, `/.content/KEY`.
static size_t vpti_copy_url(char *out, const char *url, size_t length) {
  static const char *const secrets[] = {"/.release/", "/.preview/", "/.content/"};
  size_t used = 0, at = 0;
  size_t scheme = vpti_scheme_length(url, length);
  for (size_t i = scheme; i < length && url[i] != '/'; i++) {
    if (url[i] == '@') at = i + 1;
  }
  if (at > 0) {
    memcpy(out, url, scheme);
    used = scheme;
  }
  while (at < length) {
    size_t end = at;
    for (int i = 0; i < 3 && end == at; i++) {
      if (!vpti_begins_with(url + at, length - at, secrets[i])) continue;
      size_t value = at + strlen(secrets[i]);
      for (end = value; end < length && url[end] != '/';) end++;
      if (end == value) end = at;
    }
    if (end == at) out[used++] = url[at++];
    at = end > at ? end : at;
  }
  return used;
}

// Copies what is public of a URL or an absolute path. Returns the length.
static size_t vpti_clean_token(char *out, const char *token, size_t length) {
  char url[3 * VPT_NAME_BYTES];
  size_t end = 0;
  if (vpti_begins_with(token, length, "data:")) {
    while (end < length && token[end] != ',' && token[end] != ';') end++;
    memcpy(out, token, end);
    return end;
  }
  if (vpti_scheme_length(token, length) == 0) return vpti_last_part(out, token, length);
  while (end < length && token[end] != '?' && token[end] != '#') end++;
  memcpy(url, token, end);
  if (end < length) {
    // A place in a source file, `:line` or `:line:column`, stays.
    size_t place = length;
    for (int i = 0; i < 2; i++) {
      size_t digits = place;
      while (digits > 0 && vpti_is_digit(token[digits - 1])) digits--;
      if (digits == place || digits == 0 || token[digits - 1] != ':') break;
      place = digits - 1;
    }
    memcpy(url + end, token + place, length - place);
    end += length - place;
  }
  if (vpti_begins_with(url, end, "file:")) return vpti_last_part(out, url, end);
  return vpti_copy_url(out, url, end);
}

// Copies what is public of a name. Returns the length, which is at most that of the name, or 1.
static size_t vpti_clean(char *out, const char *name, size_t length) {
  size_t used = 0, at = 0;
  bool tilde = length >= 2 && name[0] == '~' && name[1] == '/';
  bool drive = length >= 3 && vpti_is_letter(name[0]) && name[1] == ':' && vpti_is_slash(name[2]);
  bool server = length >= 2 && name[0] == '\\' && name[1] == '\\';
  if (tilde || drive || server || (length > 0 && name[0] == '/')) return vpti_last_part(out, name, length);
  while (at < length) {
    size_t end = vpti_private_end(name, at, length);
    if (end == at) {
      out[used++] = name[at++];
    } else {
      used += vpti_clean_token(out + used, name + at, end - at);
      at = end;
    }
  }
  return used;
}

// The length of the UTF-8 character at the start of text. If it is invalid, minus the number of bytes that U+FFFD replaces.
static int vpti_utf8_length(const unsigned char *text, size_t length) {
  unsigned char first = text[0];
  int size = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (size == 0) return -1;
  // The second byte excludes overlong forms, surrogates, and what is past U+10FFFF.
  unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  for (int i = 1; i < size; i++) {
    if ((size_t)i == length || text[i] < low || text[i] > high) return -i;
    low = 0x80;
    high = 0xbf;
  }
  return size;
}

// Copies a name as valid UTF-8. Returns the length, which is at most three times that of the name.
static size_t vpti_to_utf8(char *out, const char *name, size_t length) {
  size_t used = 0;
  for (size_t at = 0; at < length;) {
    int size = vpti_utf8_length((const unsigned char *)name + at, length - at);
    if (size > 0) {
      memcpy(out + used, name + at, (size_t)size);
      used += (size_t)size;
      at += (size_t)size;
    } else {
      memcpy(out + used, "\xef\xbf\xbd", 3);
      used += 3;
      at += (size_t)-size;
    }
  }
  return used;
}

// ---- The thread: it formats records and writes lines. It does not depend on the locale. ----

static void vpti_append_bytes(vpt_writer *writer, const char *bytes, size_t length) {
  memcpy(writer->lines + writer->lines_used, bytes, length);
  writer->lines_used += length;
}

static void vpti_append(vpt_writer *writer, const char *text) { vpti_append_bytes(writer, text, strlen(text)); }

// An integer of at least 0, with at least `digits` digits.
static void vpti_append_integer(vpt_writer *writer, int64_t value, int digits) {
  char text[20];
  int start = 20;
  do {
    text[--start] = (char)('0' + value % 10);
    value /= 10;
  } while (value > 0 || 20 - start < digits);
  vpti_append_bytes(writer, text + start, (size_t)(20 - start));
}

// Microseconds as milliseconds: 1500 is `1.5`.
static void vpti_append_us(vpt_writer *writer, int64_t us) {
  vpti_append_integer(writer, us / 1000, 1);
  if (us % 1000 == 0) return;
  vpti_append(writer, ".");
  vpti_append_integer(writer, us % 1000, 3);
  while (writer->lines[writer->lines_used - 1] == '0') writer->lines_used--;
}

// A finite number, with as few digits as reading it exactly needs.
static void vpti_append_number(vpt_writer *writer, double value) {
  if (value >= 1 && value < 1e15 && (double)(int64_t)value == value) {
    vpti_append_integer(writer, (int64_t)value, 1);
    return;
  }
  // `value` is 0.DIGITS times ten to the power of `point`. The locale decides which bytes are between the first and second digit,
  // and strtod reads them in the same locale. If another thread changes the locale meanwhile, more digits are written.
  char text[64], digits[18];
  int count = 0, precision = 14;
  do {
    snprintf(text, sizeof text, "%.*e", precision, value);
  } while (precision++ < 16 && strtod(text, NULL) != value);
  const char *exponent = strchr(text, 'e');
  if (exponent == NULL) exponent = "e0";
  for (const char *c = text; *c != '\0' && *c != 'e' && count < 17; c++) {
    if (vpti_is_digit(*c)) digits[count++] = *c;
  }
  while (count > 1 && digits[count - 1] == '0') count--;
  int point = atoi(exponent + 1) + 1;
  if (text[0] == '-') vpti_append(writer, "-");
  if (point > 21 || point < -5) {
    vpti_append_bytes(writer, digits, 1);
    if (count > 1) vpti_append(writer, ".");
    vpti_append_bytes(writer, digits + 1, (size_t)(count - 1));
    vpti_append(writer, point > 0 ? "e" : "e-");
    vpti_append_integer(writer, point > 0 ? point - 1 : 1 - point, 1);
    return;
  }
  if (point <= 0) {
    vpti_append(writer, "0.");
    for (int i = point; i < 0; i++) vpti_append(writer, "0");
  }
  for (int i = 0; i < count || i < point; i++) {
    if (i > 0 && i == point) vpti_append(writer, ".");
    vpti_append_bytes(writer, i < count ? &digits[i] : "0", 1);
  }
}

// A cleaned name as a JSON string.
static void vpti_append_name(vpt_writer *writer, const char *name, size_t length) {
  char valid[3 * VPT_NAME_BYTES], cleaned[3 * VPT_NAME_BYTES + 1];
  size_t used = vpti_clean(cleaned, valid, vpti_to_utf8(valid, name, length));
  vpti_append(writer, "\"");
  for (size_t i = 0; i < used; i++) {
    unsigned char c = (unsigned char)cleaned[i];
    if (c < ' ') {
      vpti_append(writer, c < 16 ? "\\u000" : "\\u001");
      vpti_append_bytes(writer, &"0123456789abcdef"[c & 15], 1);
    } else {
      if (c == '"' || c == '\\') vpti_append(writer, "\\");
      vpti_append_bytes(writer, &cleaned[i], 1);
    }
  }
  vpti_append(writer, "\"");
}

static void vpti_append_ms(vpt_writer *writer, const char *key, int64_t us) {
  if (us < 0) return;
  vpti_append(writer, key);
  vpti_append_us(writer, us);
}

static bool vpti_is_count(int64_t value) { return value >= 0 && value <= VPTI_LARGEST_COUNT; }

static void vpti_append_count(vpt_writer *writer, const char *key, int64_t value) {
  if (!vpti_is_count(value)) return;
  vpti_append(writer, key);
  vpti_append_integer(writer, value, 1);
}

static void vpti_append_start(vpt_writer *writer, const char *type, int64_t time) {
  vpti_append(writer, "{\"type\":\"");
  vpti_append(writer, type);
  vpti_append(writer, "\",\"t\":");
  vpti_append_us(writer, time);
}

// Writes the lines, and empties them. After a failed write the file is cut to its whole lines, and no line is written again.
static void vpti_write_lines(vpt_writer *writer) {
  size_t length = writer->lines_used;
  writer->lines_used = 0;
  if (writer->failed || length == 0) return;
  if (vpti_write_file(writer->file, writer->lines, length)) {
    writer->written += (int64_t)length;
    return;
  }
  char error[sizeof writer->error];
  vpti_describe_problem(error, sizeof error, "The trace cannot be written");
  vpti_cut_file(writer->file, writer->written);
  writer->failed = true;
  vpti_lock(&writer->mutex);
  writer->open = false;
  memcpy(writer->error, error, sizeof error);
  vpti_unlock(&writer->mutex);
}

static void vpti_end_line(vpt_writer *writer) {
  vpti_append(writer, "}\n");
  if (writer->lines_used > VPTI_LINES_BYTES / 2) vpti_write_lines(writer);
}

// A column of the frames, unless no frame has a value.
static void vpti_append_column(vpt_writer *writer, const char *key, int number) {
  bool any = false;
  for (int i = 0; i < writer->frame_count && !any; i++) any = vpti_is_count(writer->frames[i].numbers[number]);
  if (!any) return;
  vpti_append(writer, key);
  for (int i = 0; i < writer->frame_count; i++) {
    int64_t value = writer->frames[i].numbers[number];
    if (i > 0) vpti_append(writer, ",");
    if (!vpti_is_count(value)) vpti_append(writer, "null");
    else if (number <= VPTI_MAIN) vpti_append_us(writer, value);
    else vpti_append_integer(writer, value, 1);
  }
  vpti_append(writer, "]");
}

// Appends a line with the frames that wait.
static void vpti_append_frames(vpt_writer *writer) {
  if (writer->frame_count == 0) return;
  vpti_append_start(writer, "frames", writer->frames[0].time);
  vpti_append(writer, ",\"duration_ms\":[");
  for (int i = 0; i < writer->frame_count; i++) {
    if (i > 0) vpti_append(writer, ",");
    vpti_append_us(writer, writer->frames[i].duration);
  }
  vpti_append(writer, "]");
  vpti_append_column(writer, ",\"draws\":[", VPTI_DRAWS);
  vpti_append_column(writer, ",\"triangles\":[", VPTI_TRIANGLES);
  vpti_append_column(writer, ",\"gpu_ms\":[", VPTI_GPU);
  vpti_append_column(writer, ",\"main_ms\":[", VPTI_MAIN);
  vpti_end_line(writer);
  writer->frame_count = 0;
}

// A frame waits until the frames of this round are complete, or until one does not follow the one before.
static void vpti_add_to_frames(vpt_writer *writer, const vpti_record *record) {
  const vpti_record *last = &writer->frames[writer->frame_count > 0 ? writer->frame_count - 1 : 0];
  if (writer->frame_count == VPTI_FRAMES_PER_LINE || last->time + last->duration != record->time) vpti_append_frames(writer);
  writer->frames[writer->frame_count++] = *record;
}

static void vpti_append_record(vpt_writer *writer, const vpti_record *record, const char *name) {
  static const char *const types[] = {"frames", "span", "mark", "counter", "asset", "asset", "release"};
  static const char *const kinds[] = {"texture", "mesh", "audio", "shader", "script", "data", "video", "font", "other"};
  static const char *const phases[] = {"load", "decode", "upload", "compile", "read"};
  const char *text = name + record->name_bytes;
  const int64_t *numbers = record->numbers;
  vpti_append_start(writer, types[record->type], record->time);
  if (record->type == VPTI_RELEASE) {
    vpti_append_count(writer, ",\"id\":", numbers[VPTI_ID]);
    if (vpti_is_count(numbers[VPTI_BYTES])) vpti_append(writer, ",\"bytes\":0");
    if (vpti_is_count(numbers[VPTI_GPU_BYTES])) vpti_append(writer, ",\"gpu_bytes\":0");
    vpti_end_line(writer);
    return;
  }
  vpti_append_ms(writer, ",\"duration_ms\":", record->duration);
  vpti_append(writer, ",\"name\":");
  vpti_append_name(writer, name, record->name_bytes);
  if (record->type == VPTI_SPAN && record->text_bytes > 0) {
    vpti_append(writer, ",\"track\":");
    vpti_append_name(writer, text, record->text_bytes);
  }
  if (record->type == VPTI_COUNTER) {
    vpti_append(writer, ",\"unit\":");
    vpti_append_name(writer, text, record->text_bytes);
    vpti_append(writer, ",\"value\":");
    vpti_append_number(writer, record->value);
  }
  if (record->type == VPTI_NAMED || record->type == VPTI_PHASE) {
    vpti_append_count(writer, ",\"id\":", numbers[VPTI_ID]);
    vpti_append(writer, ",\"kind\":\"");
    vpti_append(writer, kinds[record->kind]);
    vpti_append(writer, "\",\"phase\":\"");
    vpti_append(writer, record->type == VPTI_NAMED ? "named" : phases[record->phase]);
    vpti_append(writer, "\"");
    vpti_append_count(writer, ",\"bytes\":", numbers[VPTI_BYTES]);
    vpti_append_count(writer, ",\"gpu_bytes\":", numbers[VPTI_GPU_BYTES]);
    vpti_append_ms(writer, ",\"main_thread_ms\":", numbers[VPTI_MAIN_THREAD]);
  }
  vpti_end_line(writer);
}

static void vpti_append_records(vpt_writer *writer, size_t filled) {
  for (size_t at = 0; at < filled && !writer->failed;) {
    vpti_record record;
    memcpy(&record, writer->writing + at, sizeof record);
    const char *name = writer->writing + at + sizeof record;
    if (record.type == VPTI_FRAME) vpti_add_to_frames(writer, &record);
    else vpti_append_record(writer, &record, name);
    at += sizeof record + record.name_bytes + record.text_bytes;
  }
  vpti_append_frames(writer);
}

static void vpti_write_until_closed(vpt_writer *writer) {
  bool closing = false;
  int64_t last_write = 0;
  while (!closing && !writer->failed) {
    vpti_sleep_ms(VPTI_LOOK_EVERY_MS);
    int64_t now = vpti_now_us(writer);
    vpti_lock(&writer->mutex);
    closing = writer->closing;
    if (!closing && now - last_write < VPTI_WRITE_EVERY_US && writer->filled < writer->half / 2) {
      vpti_unlock(&writer->mutex);
      continue;
    }
    size_t filled = writer->filled;
    char *half = writer->filling;
    writer->filling = writer->writing;
    writer->filled = 0;
    uint64_t lost = writer->lost;
    int64_t first_lost = writer->first_lost;
    writer->lost_before += lost;
    writer->lost = 0;
    vpti_unlock(&writer->mutex);

    last_write = now;
    writer->writing = half;
    vpti_append_records(writer, filled);
    if (lost > 0) {
      vpti_append_start(writer, "loss", first_lost);
      vpti_append(writer, ",\"reason\":\"buffer_full\"");
      vpti_append_count(writer, ",\"count\":", (int64_t)lost);
      vpti_end_line(writer);
    }
    if (closing) {
      vpti_append_start(writer, "end", writer->end_time);
      vpti_append(writer, ",\"reason\":");
      vpti_append_name(writer, writer->end_reason, strlen(writer->end_reason));
      vpti_end_line(writer);
    }
    vpti_write_lines(writer);
  }
  if (vpti_close_file(writer->file) || writer->failed) return;
  vpti_lock(&writer->mutex);
  vpti_describe_problem(writer->error, sizeof writer->error, "The trace cannot be closed");
  vpti_unlock(&writer->mutex);
}

// ---- Opening and closing. ----

static void vpti_append_header(vpt_writer *writer, const vpt_options *options) {
  static const char separators[] = "--T::.Z";
  static const int digits[] = {4, 2, 2, 2, 2, 2, 3};
  const char *producer = options->producer == NULL ? "vpt.h" : options->producer;
  int utc[7];
  vpti_utc(utc);
  vpti_append(writer, "{\"vpt\":1,\"producer\":{\"name\":");
  vpti_append_name(writer, producer, vpti_name_bytes(producer));
  vpti_append(writer, ",\"version\":\"" VPT_WRITER_VERSION "\"},\"started_at\":\"");
  for (int i = 0; i < 7; i++) {
    vpti_append_integer(writer, utc[i], digits[i]);
    vpti_append_bytes(writer, &separators[i], 1);
  }
  vpti_append(writer, "\",\"sources\":[\"native\"]");
  if (options->gpu_name != NULL && options->gpu_name[0] != '\0') {
    vpti_append(writer, ",\"gpu\":{\"name\":");
    vpti_append_name(writer, options->gpu_name, vpti_name_bytes(options->gpu_name));
    vpti_append(writer, options->gpu_is_software ? ",\"software\":true}" : ",\"software\":false}");
  }
  vpti_append(writer, "}\n");
}

vpt_writer *vpt_open(const char *path, const vpt_options *options) {
  vpt_options settings;
  memset(&settings, 0, sizeof settings);
  if (options != NULL) settings = *options;
  size_t memory = settings.memory_bytes == 0 ? VPTI_DEFAULT_MEMORY : settings.memory_bytes;
  if (memory < VPTI_SMALLEST_MEMORY) memory = VPTI_SMALLEST_MEMORY;
  if (memory > SIZE_MAX - sizeof(vpt_writer)) return NULL;
  vpt_writer *writer = (vpt_writer *)malloc(sizeof(vpt_writer) + memory);
  if (writer == NULL) return NULL;
  memset(writer, 0, sizeof *writer);
  vpti_init_mutex(&writer->mutex);
  writer->half = memory / 2;
  writer->filling = (char *)(writer + 1);
  writer->writing = writer->filling + writer->half;
  writer->last_frame = writer->frame_end = VPTI_NONE;
  writer->process_id = vpti_process_id();
  writer->started = vpti_clock_us();
  if (!vpti_open_file(&writer->file, path == NULL ? "" : path)) {
    vpti_describe_problem(writer->error, sizeof writer->error, "The trace cannot be opened");
    return writer;
  }
  // The calls find the memory in main memory: they do not wait for pages of it.
  memset(writer->filling, 0, memory);
  vpti_append_header(writer, &settings);
  vpti_write_lines(writer);
  writer->open = !writer->failed;
  if (writer->open) {
    writer->has_thread = vpti_start_thread(&writer->thread, writer);
    if (writer->has_thread) return writer;
    vpti_describe_problem(writer->error, sizeof writer->error, "The thread of the trace cannot be started");
    writer->open = false;
  }
  vpti_close_file(writer->file);
  return writer;
}

void vpt_close(vpt_writer *writer, const char *reason) {
  if (writer == NULL || !writer->has_thread || writer->process_id != vpti_process_id()) return;
  vpti_lock(&writer->mutex);
  bool first = !writer->closing;
  if (first) {
    if (reason == NULL || reason[0] == '\0') reason = "closed";
    memcpy(writer->end_reason, reason, vpti_name_bytes(reason));
    writer->end_time = vpti_now_us(writer);
    writer->open = false;
    writer->closing = true;
  }
  vpti_unlock(&writer->mutex);
  if (first) vpti_join_thread(writer->thread);
}

void vpt_free(vpt_writer *writer) {
  if (writer == NULL) return;
  vpt_close(writer, NULL);
  vpti_free_mutex(&writer->mutex);
  free(writer);
}

#endif // VPT_IMPLEMENTATION
