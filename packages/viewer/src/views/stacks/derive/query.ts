// What part of a trace's stacks a view shows, and how it is merged.
import type { TimeRange } from '../../../draw/time-axis.ts';

export type StackQuery = {
  /** Which group; null is the first. */
  readonly group: string | null;
  readonly range: TimeRange | null;
  /** Frames that match are taken out: what they cost goes to their caller. */
  readonly hide: string;
  /** Only frames that match stay; what the others cost goes to the caller that stays. */
  readonly keep: string;
  /** A run of frames that match is shown as one frame; it keeps what they cost. */
  readonly merge: string;
  /** Of two weights, the one that is shown. */
  readonly weight: 'after' | 'before';
};

export const WHOLE: StackQuery = {
  group: null,
  range: null,
  hide: '',
  keep: '',
  merge: '',
  weight: 'after',
};

/** A pattern as a regular expression without regard to case; what is no regular expression is searched as it is. */
export function patternOf(text: string): RegExp | null {
  if (text === '') return null;
  try {
    return new RegExp(text, 'iu');
  } catch {
    return new RegExp(text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), 'iu');
  }
}
