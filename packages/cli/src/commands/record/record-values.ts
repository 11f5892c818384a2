// Parses the values of the options of `svc record`. Each parser throws InvalidValueError with the reason.
import { InvalidValueError } from '../../command-line/define-command.ts';
import { decimalOf } from '../../command-line/parse-seconds.ts';

const LARGEST_PX = 8192;
const SLOWEST = 20;

/** Parses `1280x720`: width and height in CSS pixels. */
export function parseSize(text: string): { readonly width: number; readonly height: number } {
  const [, width = 0, height = 0] = (/^(\d{1,5})[x×](\d{1,5})$/i.exec(text) ?? []).map(Number);
  const isValid = (side: number): boolean => side >= 100 && side <= LARGEST_PX;
  if (isValid(width) && isValid(height)) return { width, height };
  throw new InvalidValueError(
    `Write a size such as 1280x720, from 100 to ${LARGEST_PX} pixels each.`,
  );
}

/** Parses how many times slower the page runs. */
export function parseSlowdown(text: string): number {
  const factor = decimalOf(text);
  if (factor >= 1 && factor <= SLOWEST) return factor;
  throw new InvalidValueError(`Write a number from 1 to ${SLOWEST}.`);
}
