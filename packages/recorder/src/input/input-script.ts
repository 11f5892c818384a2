// An input script: what a player does, as a text. One step is one line: the seconds since the first frame of the game, and the step.
import { InputFault, type InputStep, numberOf, parseStep } from './input-step.ts';
import { isKeyCode } from './key-codes.ts';

/** `at_ms` counts from the first frame of the game. */
type TimedStep = { readonly at_ms: number; readonly step: InputStep };

export type Size = { readonly width: number; readonly height: number };

export type InputScript = {
  /** The size of the page that the coordinates are for, in CSS pixels. Null if the script does not name it. */
  readonly size: Size | null;
  /** In the order of time. */
  readonly steps: readonly TimedStep[];
  /** When the recording ends, after the first frame. Null if the script does not end it. */
  readonly end_ms: number | null;
};

/** A script is not valid. The message is one sentence, and `line` counts from 1. */
export class InputScriptError extends Error {
  override readonly name = 'InputScriptError';
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** The longest script, in bytes, and the latest time of a step, in seconds. */
export const SCRIPT_BYTES = 64 * 1024 * 1024;
const LATEST_S = 24 * 3600;
/** How long `press`, `click` and `tap` hold. A game that looks at its keys once per frame would miss less. */
const HELD_MS = 100;
const LARGEST_PX = 8192;

/** Parses a script. Empty lines and lines that begin with `#` are ignored. Throws an InputScriptError. */
export function parseInputScript(text: string): InputScript {
  const steps: TimedStep[] = [];
  let size: InputScript['size'] = null;
  let end_ms: number | null = null;
  for (const [at, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const words = line.split(/\s+/).filter((word) => word !== '');
    const [first = '#', ...rest] = words;
    if (first.startsWith('#')) continue;
    try {
      if (first === 'size') {
        size = parseSize(rest);
        continue;
      }
      const at_ms = parseTime(first);
      if (rest.length === 1 && rest[0] === 'end') end_ms = at_ms;
      else steps.push(...parseTimed(at_ms, rest));
    } catch (error) {
      if (!(error instanceof InputFault)) throw error;
      throw new InputScriptError(at + 1, error.message);
    }
  }
  return { size, steps: steps.toSorted((a, b) => a.at_ms - b.at_ms), end_ms };
}

function parseSize([text = '', ...more]: string[]): Size {
  const [, width = 0, height = 0] = (/^(\d{1,5})x(\d{1,5})$/.exec(text) ?? []).map(Number);
  if (more.length > 0 || [width, height].some((side) => side < 100 || side > LARGEST_PX)) {
    throw new InputFault(
      `Expected a size such as 1280x720, from 100 to ${LARGEST_PX} pixels each.`,
    );
  }
  return { width, height };
}

function parseTime(word: string): number {
  const seconds = numberOf(word);
  if (seconds >= 0 && seconds <= LATEST_S) return seconds * 1000;
  throw new InputFault('A line begins with its time in seconds, from 0 to 86400.');
}

/** A step, or the two steps of a short form. */
function parseTimed(at_ms: number, words: readonly string[]): TimedStep[] {
  const [device, action, ...rest] = words;
  const both = (...parts: string[]): TimedStep[] =>
    (['down', 'up'] as const).map((way, index) => ({
      at_ms: at_ms + index * HELD_MS,
      step: parseStep([device ?? '', way, ...parts], isKeyCode),
    }));
  if (device === 'key' && action === 'press') return both(...rest);
  if (device === 'mouse' && action === 'click') return both(...rest);
  if (device === 'touch' && action === 'tap') return both('0', ...rest);
  return [{ at_ms, step: parseStep(words, isKeyCode) }];
}
