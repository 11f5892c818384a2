// The colour tokens of the look that charts use.

export const TOKENS = [
  'ground',
  'surface',
  'surface-raised',
  'surface-sunken',
  'ink',
  'ink-muted',
  'line',
  'line-strong',
  'accent',
  'data-1',
  'data-2',
  'data-3',
  'data-4',
  'data-5',
  'data-6',
  'data-grid',
  'frame-within',
  'frame-near',
  'frame-over',
  'frame-far',
  'flame-native',
  'flame-kernel',
  'flame-jit',
  'flame-inlined',
  'flame-waker',
  'flame-dimmed',
  'flame-ink',
  'flame-ink-dimmed',
  'diff-more',
  'diff-same',
  'diff-less',
] as const;
export type Token = (typeof TOKENS)[number];
/** Each token as `rgb(…)`. */
export type Colours = Readonly<Record<Token, string>>;
