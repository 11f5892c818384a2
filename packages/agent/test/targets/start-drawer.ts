// Starts the C program that draws an OpenGL window on command.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CommandedProgram, startCommanded } from './commanded-program.ts';
import type { Display } from './start-display.ts';
import { compile, type PresentTime, timesOf } from './start-presenter.ts';

/** `sdl-egl` is SDL with EGL in place of GLX. */
export type Drawing = 'sdl' | 'sdl-egl' | 'egl';

export type Drawer = Omit<CommandedProgram, 'obey'> & {
  /** Executes a command of drawer.c, and returns the times of the frames that it presented. */
  obey(command: string): Promise<PresentTime[]>;
};

/** Builds drawer.c and starts it on a display. */
export function startDrawer({ through }: Display, drawing: Drawing): Drawer {
  const folder = mkdtempSync(join(tmpdir(), 'svc-drawer-'));
  const program = join(folder, 'drawer');
  compile(['-O1', '-fno-omit-frame-pointer', '-o', program, 'drawer.c', '-ldl']);
  const [way, ...settings] =
    drawing === 'sdl-egl' ? ['sdl', 'SDL_VIDEO_X11_FORCE_EGL=1'] : [drawing];
  const command = [...through, ...settings, program, way];
  const started = startCommanded(command, folder, () =>
    rmSync(folder, { recursive: true, force: true }),
  );
  return { ...started, obey: async (line) => timesOf(await started.obey(line)) };
}
