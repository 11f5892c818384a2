// The option that sets the time budget of a frame.
import { InvalidValueError } from '../command-line/define-command.ts';

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
