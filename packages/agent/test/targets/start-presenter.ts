// Starts the C programs that present frames on command, and builds the libraries through which they do.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CommandedProgram, startCommanded } from './commanded-program.ts';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const FREESTANDING = ['-ffreestanding', '-nostdlib', '-static', '-fno-pic', '-no-pie'];

/** A call that presents a frame happened between these times, in nanoseconds (CLOCK_MONOTONIC). */
export type PresentTime = { readonly before: number; readonly after: number };

export type Presenter = Omit<CommandedProgram, 'obey'> & {
  readonly folder: string;
  /** Executes a command of presenter.c, and returns the times of the frames that it presented. */
  obey(command: string): Promise<PresentTime[]>;
  /** Builds a library in its folder that has the function. Returns its path from there. */
  build(file: string, present: string): string;
};

/** Starts presenter.c in a folder of its own. `through` is a command that runs it. */
export function startPresenter(through: readonly string[] = []): Presenter {
  const folder = mkdtempSync(join(tmpdir(), 'svc-presenter-'));
  const program = join(folder, 'presenter');
  compile(['-O1', '-fno-omit-frame-pointer', '-pthread', '-o', program, 'presenter.c', '-ldl']);
  const started = startCommanded([...through, program], folder, () =>
    rmSync(folder, { recursive: true, force: true }),
  );
  return {
    ...started,
    folder,
    obey: async (command) => timesOf(await started.obey(command)),
    build: (file, present) => {
      const path = join(folder, file);
      mkdirSync(dirname(path), { recursive: true });
      compile(['-shared', '-fPIC', '-O1', `-DPRESENT=${present}`, '-o', path, 'present-library.c']);
      return `./${file}`;
    },
  };
}

/** Starts present-32.c. It presents 60 frames on each command. */
export function startPresenter32(): CommandedProgram {
  const folder = mkdtempSync(join(tmpdir(), 'svc-presenter-'));
  const program = join(folder, 'libGLX.so.0');
  compile(['-m32', '-O1', ...FREESTANDING, '-fno-stack-protector', '-o', program, 'present-32.c']);
  return startCommanded([program], folder, () => rmSync(folder, { recursive: true, force: true }));
}

/** Runs the C compiler in the folder of the sources. */
export function compile(args: readonly string[]): void {
  execFileSync('cc', [...args], { cwd: FOLDER, stdio: 'inherit' });
}

/** Parses the pairs of times in the answer of a program that presents frames. */
export function timesOf(answer: string): PresentTime[] {
  const times = answer.split(' ').map(Number);
  return Array.from({ length: Math.floor(times.length / 2) }, (_, i) => ({
    before: times[2 * i] ?? 0,
    after: times[2 * i + 1] ?? 0,
  }));
}
