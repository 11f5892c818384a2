// Draws an OpenGL window on command. The argument says through what: `sdl`, or `egl` for EGL and Xlib without a toolkit. Each
// line is a command, and the answer is `done`:
//   draw COUNT US [HITCH …]  presents COUNT frames, each after US microseconds. Before frame N, the hitch `sleep:N:MS` waits, and
//                            `work:N:MS` uses the CPU in the function `load_level`. The answer also has the time before and after
//                            each call that presents, in nanoseconds (CLOCK_MONOTONIC)
//   hide                     unmaps the window
// The libraries are opened at run time, so that only their packages without headers are needed.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "load-level.h"

enum { WIDTH = 320, HEIGHT = 240, FRAMES = 1000 };

static struct {
  void (*clear)(unsigned mask);
  void (*clear_color)(float red, float green, float blue, float alpha);
} gl;

static struct {
  void (*swap)(void);
  void (*hide)(void);
} screen;

static void fail(const char *what) {
  fprintf(stderr, "drawer: %s\n", what);
  exit(1);
}

static void *library(const char *name) {
  void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) fail(dlerror());
  return handle;
}

// A pointer to a function can't be assigned from `void *` in standard C.
static void assign(void *function, void *address, const char *name) {
  if (address == NULL) fail(name);
  memcpy(function, &address, sizeof address);
}

#define FIND(handle, function, name) assign(&(function), dlsym(handle, name), name)

// --- SDL ---

static struct {
  void *window;
  int (*init)(uint32_t flags);
  void *(*create_window)(const char *title, int x, int y, int width, int height, uint32_t flags);
  void *(*create_context)(void *window);
  int (*set_interval)(int interval);
  void *(*address)(const char *name);
  void (*swap)(void *window);
  void (*pump)(void);
  void (*hide)(void *window);
} sdl;

static void sdl_swap(void) { sdl.swap(sdl.window); }

static void sdl_hide(void) {
  sdl.hide(sdl.window);
  sdl.pump();
}

static void open_sdl(void) {
  enum { INIT_VIDEO = 0x20, WINDOW_OPENGL = 2 };
  void *handle = library("libSDL2-2.0.so.0");
  FIND(handle, sdl.init, "SDL_Init");
  FIND(handle, sdl.create_window, "SDL_CreateWindow");
  FIND(handle, sdl.create_context, "SDL_GL_CreateContext");
  FIND(handle, sdl.set_interval, "SDL_GL_SetSwapInterval");
  FIND(handle, sdl.address, "SDL_GL_GetProcAddress");
  FIND(handle, sdl.swap, "SDL_GL_SwapWindow");
  FIND(handle, sdl.pump, "SDL_PumpEvents");
  FIND(handle, sdl.hide, "SDL_HideWindow");
  if (sdl.init(INIT_VIDEO) != 0) fail("SDL_Init");
  sdl.window = sdl.create_window("drawer", 0, 0, WIDTH, HEIGHT, WINDOW_OPENGL);
  if (sdl.window == NULL) fail("SDL_CreateWindow");
  if (sdl.create_context(sdl.window) == NULL) fail("SDL_GL_CreateContext");
  sdl.set_interval(0);
  sdl.pump();
  assign(&gl.clear, sdl.address("glClear"), "glClear");
  assign(&gl.clear_color, sdl.address("glClearColor"), "glClearColor");
  screen.swap = sdl_swap;
  screen.hide = sdl_hide;
}

// --- EGL and Xlib ---

static struct {
  void *display, *surface;
  unsigned (*swap)(void *display, void *surface);
} egl;

static struct {
  void *display;
  unsigned long window;
  int (*unmap)(void *display, unsigned long window);
  int (*sync)(void *display, int discard);
} x;

static void egl_swap(void) { egl.swap(egl.display, egl.surface); }

static void egl_hide(void) {
  x.unmap(x.display, x.window);
  x.sync(x.display, 0);
}

static void open_window(void) {
  void *handle = library("libX11.so.6");
  void *(*open)(const char *name);
  unsigned long (*root)(void *display);
  unsigned long (*create)(void *display, unsigned long parent, int x, int y, unsigned width, unsigned height, unsigned border,
                          unsigned long border_color, unsigned long background);
  int (*map)(void *display, unsigned long window);
  FIND(handle, open, "XOpenDisplay");
  FIND(handle, root, "XDefaultRootWindow");
  FIND(handle, create, "XCreateSimpleWindow");
  FIND(handle, map, "XMapWindow");
  FIND(handle, x.unmap, "XUnmapWindow");
  FIND(handle, x.sync, "XSync");
  x.display = open(NULL);
  if (x.display == NULL) fail("XOpenDisplay");
  x.window = create(x.display, root(x.display), 0, 0, WIDTH, HEIGHT, 0, 0, 0);
  map(x.display, x.window);
  x.sync(x.display, 0);
}

static void open_egl(void) {
  enum { PLATFORM_X11 = 0x31D5, OPENGL_API = 0x30A2, RENDERABLE = 0x3040, OPENGL_BIT = 8, END = 0x3038, CONFIGS = 64 };
  open_window();
  void *handle = library("libEGL.so.1");
  void *(*get_display)(unsigned platform, void *native, const intptr_t *attributes);
  unsigned (*initialize)(void *display, int *major, int *minor);
  unsigned (*bind)(unsigned api);
  unsigned (*choose)(void *display, const int *attributes, void **configs, int size, int *count);
  void *(*create_surface)(void *display, void *config, unsigned long window, const int *attributes);
  void *(*create_context)(void *display, void *config, void *share, const int *attributes);
  unsigned (*make_current)(void *display, void *draw, void *read, void *context);
  unsigned (*set_interval)(void *display, int interval);
  void *(*address)(const char *name);
  FIND(handle, get_display, "eglGetPlatformDisplay");
  FIND(handle, initialize, "eglInitialize");
  FIND(handle, bind, "eglBindAPI");
  FIND(handle, choose, "eglChooseConfig");
  FIND(handle, create_surface, "eglCreateWindowSurface");
  FIND(handle, create_context, "eglCreateContext");
  FIND(handle, make_current, "eglMakeCurrent");
  FIND(handle, set_interval, "eglSwapInterval");
  FIND(handle, address, "eglGetProcAddress");
  FIND(handle, egl.swap, "eglSwapBuffers");
  egl.display = get_display(PLATFORM_X11, x.display, NULL);
  if (egl.display == NULL || !initialize(egl.display, NULL, NULL) || !bind(OPENGL_API)) fail("eglInitialize");
  const int attributes[] = {RENDERABLE, OPENGL_BIT, END};
  void *configs[CONFIGS];
  int count = 0;
  if (!choose(egl.display, attributes, configs, CONFIGS, &count)) fail("eglChooseConfig");
  int chosen = 0;
  // Some configurations have another visual than the window.
  for (; chosen < count && egl.surface == NULL; chosen++) {
    egl.surface = create_surface(egl.display, configs[chosen], x.window, NULL);
  }
  if (egl.surface == NULL) fail("eglCreateWindowSurface");
  void *context = create_context(egl.display, configs[chosen - 1], NULL, NULL);
  if (context == NULL || !make_current(egl.display, egl.surface, egl.surface, context)) fail("eglMakeCurrent");
  set_interval(egl.display, 0);
  assign(&gl.clear, address("glClear"), "glClear");
  assign(&gl.clear_color, address("glClearColor"), "glClearColor");
  screen.swap = egl_swap;
  screen.hide = egl_hide;
}

// --- Frames ---

static void hitch(const char *hitches, int frame) {
  char kind;
  int at, ms, length;
  for (; sscanf(hitches, " %c%*[a-z]:%d:%d%n", &kind, &at, &ms, &length) == 3; hitches += length) {
    if (at != frame) continue;
    if (kind == 's') usleep((useconds_t)ms * 1000);
    else load_level(ms);
  }
}

static void draw(int count, int us, const char *hitches) {
  enum { COLOR_BUFFER = 0x4000 };
  static uint64_t before[FRAMES], after[FRAMES];
  for (int i = 0; i < count; i++) {
    usleep((useconds_t)us);
    hitch(hitches, i);
    gl.clear_color((float)(i % 2), 0.5f, 0.5f, 1);
    gl.clear(COLOR_BUFFER);
    before[i] = now();
    screen.swap();
    after[i] = now();
  }
  for (int i = 0; i < count; i++) printf("%llu %llu ", (unsigned long long)before[i], (unsigned long long)after[i]);
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "egl") == 0) open_egl();
  else open_sdl();
  char line[1024];
  while (fgets(line, sizeof line, stdin) != NULL) {
    int count, us, length;
    if (strcmp(line, "hide\n") == 0) {
      screen.hide();
      puts("done");
    } else if (sscanf(line, "draw %d %d%n", &count, &us, &length) == 2 && count <= FRAMES) {
      draw(count, us, line + length);
      puts("done");
    } else {
      puts("failed");
    }
    fflush(stdout);
  }
  return 0;
}
