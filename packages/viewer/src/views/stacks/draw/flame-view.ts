// What the page tells the worker about the look of a flame graph.
export type { FlameView } from './raster.ts';

/** Colours by index: 256 for boxes (the upper half dimmed), and the rest as CSS. */
export type FlamePalette = {
  readonly boxes: Uint32Array;
  readonly ground: number;
  readonly ink: string;
  readonly inkDimmed: string;
  /** Around the chosen box. */
  readonly outline: string;
  /** The box that is outlined; −1 is none. */
  readonly chosen: number;
  /** Whether names are written; an overview has none. */
  readonly labels: boolean;
};

/** Where the categories and the differences begin in the palette: eight shades a category, 33 steps of change. */
export const SHADES = 8;
export const DIFF_FIRST = 64;
export const DIFF_STEPS = 33;

/** The palette index of a change from −1 to 1. */
export function diffPaint(change: number): number {
  const middle = (DIFF_STEPS - 1) / 2;
  return DIFF_FIRST + middle + Math.round(Math.max(-1, Math.min(1, change)) * middle);
}

/** The palette index of a frame: its category and a shade that its name always gets. */
export function framePaint(category: number, nameHash: number): number {
  return category * SHADES + (nameHash % SHADES);
}
