// The part of a trace's stacks that a view shows, and how frames are hidden or merged.
import type { TimeRange } from '../../../draw/time-axis.ts';

export type StackQuery = {
  /** The id of the group. Null is the first one. */
  readonly group: string | null;
  readonly range: TimeRange | null;
  /** A pattern of frames to hide. Their weight is added to their callers. */
  readonly hide: string;
  /** A pattern of the only frames to keep. The weight of the others is added to their callers. */
  readonly keep: string;
  /** A pattern of frames to merge. Adjacent frames that match become one, with their combined weight. */
  readonly merge: string;
  /** The weight that is shown if there are two. */
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

/**
 * Compiles a pattern without regard to case. Text that is not a valid regular expression is searched literally.
 * Returns null if it is empty.
 */
export function patternOf(text: string): RegExp | null {
  if (text === '') return null;
  try {
    return new RegExp(text, 'iu');
  } catch {
    return new RegExp(text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), 'iu');
  }
}
