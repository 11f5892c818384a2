// What the page sends to the worker about the appearance of a flame graph.
export type { FlameView } from './raster.ts';

/** The colours: 256 for boxes, of which the upper half is dimmed, and CSS colours for the rest. */
export type FlamePalette = {
  readonly boxes: Uint32Array;
  readonly ground: number;
  readonly ink: string;
  readonly inkDimmed: string;
  /** The outline of the chosen box. */
  readonly outline: string;
  /** The box with an outline; −1 for none. */
  readonly chosen: number;
  /** Whether boxes have labels. The overview has none. */
  readonly labels: boolean;
};

/** The layout of the palette: 8 shades for each category, and 33 steps of change from `DIFF_FIRST`. */
export const SHADES = 8;
export const DIFF_FIRST = 72;
export const DIFF_STEPS = 33;

/** Returns the palette index of a change from −1 to 1. */
export function diffPaint(change: number): number {
  const middle = (DIFF_STEPS - 1) / 2;
  return DIFF_FIRST + middle + Math.round(Math.max(-1, Math.min(1, change)) * middle);
}

/** Returns the palette index of a frame: its category, and a shade derived from its name. */
export function framePaint(category: number, nameHash: number): number {
  return category * SHADES + (nameHash % SHADES);
}
