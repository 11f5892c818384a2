// Hatching marks a gap in the data, so that it is not read as a value.
import type { Pen } from './pen.ts';

type Box = {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly height: number;
};

/** Draws thin diagonal lines that are clipped to the box. */
export function hatch(pen: Pen, { left, right, top, height }: Box, colour: string): void {
  pen.clip(left, top, right - left, height, () => {
    for (let x = Math.floor((left - height) / 8) * 8; x < right; x += 8) {
      pen.line([x, x + height], [top + height, top], colour, 0.5);
    }
  });
}
