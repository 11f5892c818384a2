// The options that choose a process and what is measured of it, shared by the commands that record processes.
import {
  InvalidValueError,
  type OptionSpec,
  type OptionValues,
} from '../command-line/define-command.ts';
import { parseDuration, parsePid, parseSize } from '../command-line/values.ts';

/** They choose a process. A program after `--` is another way. */
export const PROCESS_OPTIONS = [
  { flags: '--pid <PID>', help: 'the process to profile', parse: parsePid },
  {
    flags: '--name <NAME>',
    help: 'the process to profile, by the name of its program, by a script that it runs, or by a part of one',
    parse: parseName,
  },
  {
    flags: '--child <NAME>',
    help: 'profile the process of this name that the named process or the started program has started, for launchers; waits up to 60 s for that of a started program',
    parse: parseName,
  },
] as const satisfies readonly OptionSpec[];

/** They choose what is measured. */
export const MEASURE_OPTIONS = [
  {
    flags: '--pss-interval <TIME>',
    help: 'time between two readings of PSS, which stall a large process (default: 1s)',
    parse: (text: string) => parseDuration(text, { least: '1s', most: '24h' }),
  },
  {
    flags: '--probes <LIST>',
    help: 'additional probes, separated by commas: frames (of OpenGL; adds 4 to 15 µs to each frame, and 0.8 µs to each frame of other programs with the same library), stacks (slows the process by about 1 %), files (adds 1.2 µs to each read of the process, and 0.3 µs to each read of all other programs)',
    parse: parseProbes,
    value: {
      kind: 'words',
      words: ['frames', 'stacks', 'files', 'frames,stacks', 'frames,stacks,files'],
    },
  },
  {
    flags: '--follow <FILE>',
    help: 'merge the .vpt trace that the game itself writes here, while it writes it; the file need not exist yet',
    value: { kind: 'file', endings: ['vpt'] },
  },
  {
    flags: '--storage-cap <SIZE>',
    help: 'the most that one recording of a process may have (default: 256MiB)',
    // Below this size no recording fits, because space for its end is reserved.
    parse: (text: string) => parseSize(text, { least: '8KiB', most: '1024TiB' }),
  },
] as const satisfies readonly OptionSpec[];

export type ProcessOptions = OptionValues<typeof PROCESS_OPTIONS>;

function parseName(text: string): string {
  if (text.trim() !== '') return text.trim();
  throw new InvalidValueError('Write the name of a program, or a part of it.');
}

function parseProbes(text: string): ('frames' | 'stacks' | 'files')[] {
  return [...new Set(text.split(','))].map((name) => {
    if (name === 'frames' || name === 'stacks' || name === 'files') return name;
    throw new InvalidValueError('Choose frames, stacks and files, separated by commas.');
  });
}
