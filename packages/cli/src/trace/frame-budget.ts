// The time budget of a frame: the option that sets it, and how many frames are over it.
import { budgetText, countText, pluralText } from '@svc/trace';
import { InvalidValueError } from '../command-line/define-command.ts';

export const NO_FRAMES =
  'The trace has no frames. A Chrome trace and the browser collector record them; a CPU profile and folded stacks do not.';

/** States how many frames are over budget. */
export function formatHitchCount(of: {
  readonly budget_ms: number;
  readonly frames: number;
  readonly count: number;
}): string {
  const frames = pluralText(of.frames, 'frame');
  const are = of.count === 1 ? 'is a hitch' : 'are hitches';
  return `${countText(of.count)} of ${frames} ${are}: more than 5 % over the budget of ${budgetText(of.budget_ms)}.`;
}

/** The time budget of a frame in milliseconds. */
export const FRAME_MS_OPTION = {
  flags: '--frame-ms <MS>',
  help: 'time budget of a frame (default: 16.67, which is 60 frames per second)',
  parse: parseFrameMs,
} as const;

function parseFrameMs(text: string): number {
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (!(ms > 0 && ms <= 1000))
    throw new InvalidValueError('Write a number of milliseconds, more than 0 and at most 1000.');
  return ms;
}
