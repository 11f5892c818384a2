// The parts of the comparison, in the order of their tabs.
export const PARTS = {
  numbers: 'Frames and memory',
  memory: 'Memory over time',
  stacks: 'Stacks',
  assets: 'Assets',
} as const;

export type ComparePart = keyof typeof PARTS;

export const PART_NAMES: readonly ComparePart[] = ['numbers', 'memory', 'stacks', 'assets'];
