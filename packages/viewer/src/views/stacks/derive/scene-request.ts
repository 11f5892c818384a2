// What a flame graph can show: a tree, samples in order, one function's callers or callees, or a comparison.
import type { Slot } from '../../../client/trace-calls.ts';
import type { StackQuery } from './query.ts';

/** One side of a comparison. */
export type DiffSide = { readonly slot: Slot; readonly query: StackQuery };

/** Which weight determines the widths of the boxes in a differential graph. */
export type DiffWidth = 'after' | 'before' | 'larger';

export type SceneRequest =
  | { readonly kind: 'merged' | 'recorded'; readonly slot: Slot; readonly query: StackQuery }
  | {
      readonly kind: 'callers' | 'callees';
      readonly slot: Slot;
      readonly query: StackQuery;
      readonly name: string;
    }
  | {
      readonly kind: 'diff';
      readonly before: DiffSide;
      readonly after: DiffSide;
      readonly width: DiffWidth;
    };
