// Parses decimal numbers of options. Each parser throws InvalidValueError with the reason.
import { InvalidValueError } from './define-command.ts';

const LONGEST_S = 3600;

/** Parses a time from 1 second to an hour. */
export function parseSeconds(text: string): number {
  const seconds = decimalOf(text);
  if (seconds >= 1 && seconds <= LONGEST_S) return seconds;
  throw new InvalidValueError(`Write a number of seconds from 1 to ${LONGEST_S}.`);
}

/** A number such as `2.5`, with at most three decimals. 0 for other text. */
export function decimalOf(text: string): number {
  return /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Number(text) : 0;
}
