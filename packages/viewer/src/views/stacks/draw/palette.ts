// The palette of flame graphs in the current theme, as pixels. Pure.
import type { Colours, Token } from '../../../draw/tokens.ts';
import { DIFF_FIRST, DIFF_STEPS, type FlamePalette, SHADES } from './flame-view.ts';

/** The tokens of FRAME_CATEGORIES, in the same order. */
export const CATEGORY_TOKENS: readonly Token[] = [
  'flame-native',
  'flame-kernel',
  'flame-jit',
  'flame-inlined',
  'flame-waker',
  'flame-js',
  'flame-wasm',
  'flame-gc',
  'flame-main',
];

type Rgb = readonly [number, number, number];

/** Returns the palette. For `chosen` and `labels` see FlamePalette. */
export function flamePalette(
  colours: Colours,
  dark: boolean,
  chosen: number,
  labels: boolean,
): FlamePalette {
  const boxes = new Uint32Array(256);
  const dimmed = rgbOf(colours['flame-dimmed']);
  CATEGORY_TOKENS.forEach((token, category) => {
    const base = rgbOf(colours[token]);
    for (let shade = 0; shade < SHADES; shade++) {
      const towards: Rgb = shade % 2 === 0 ? [255, 255, 255] : dark ? [60, 40, 20] : [150, 100, 40];
      const colour = mixed(base, towards, (shade >> 1) * (dark ? 0.06 : 0.11));
      boxes[category * SHADES + shade] = pixel(colour);
      boxes[(category * SHADES + shade) | 128] = pixel(mixed(dimmed, colour, 0.1));
    }
  });
  const ends = [
    rgbOf(colours['diff-less']),
    rgbOf(colours['diff-same']),
    rgbOf(colours['diff-more']),
  ] as const;
  for (let step = 0; step < DIFF_STEPS; step++) {
    const change = (step / (DIFF_STEPS - 1)) * 2 - 1;
    // The exponent makes small changes visible without exaggerating them.
    const colour = mixed(ends[1], change < 0 ? ends[0] : ends[2], Math.abs(change) ** 0.7);
    boxes[DIFF_FIRST + step] = pixel(colour);
    boxes[(DIFF_FIRST + step) | 128] = pixel(mixed(dimmed, colour, 0.15));
  }
  return {
    boxes,
    ground: pixel(rgbOf(colours['surface'])),
    ink: colours['flame-ink'],
    inkDimmed: colours['flame-ink-dimmed'],
    outline: colours['ink'],
    chosen,
    labels,
  };
}

/** Parses `rgb(…)` into three numbers. */
export function rgbOf(css: string): Rgb {
  const [r = 0, g = 0, b = 0] = (css.match(/[\d.]+/g) ?? []).map(Number);
  return [r, g, b];
}

function mixed(a: Rgb, b: Rgb, part: number): Rgb {
  const at = (i: 0 | 1 | 2): number => Math.round(a[i] + (b[i] - a[i]) * Math.min(1, part));
  return [at(0), at(1), at(2)];
}

/** Returns a pixel of ImageData on a little-endian machine. All current browsers run on such machines. */
export function pixel([r, g, b]: Rgb): number {
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

/** Returns a pixel as a CSS colour. */
export function cssOf(colour: number): string {
  return `rgb(${colour & 255}, ${(colour >> 8) & 255}, ${(colour >> 16) & 255})`;
}
