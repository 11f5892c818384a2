// The labels of scales, and translucent colours.
import type { Pen } from '../../../draw/pen.ts';
import type { TimelinePicture } from './timeline-picture.ts';

/** Writes a value at the right edge, on a background that keeps it readable. */
export function writeScale(
  pen: Pen,
  { width, colours }: TimelinePicture,
  y: number,
  text: string,
): void {
  const wide = text.length * 5.6 + 6;
  pen.rect(width - wide - 1, y - 6, wide, 12, withAlpha(colours['surface'], 0.8));
  pen.text(width - 4, y, text, colours['ink-muted'], 10, 'right');
}

/** Adds an alpha channel to `rgb(…)`. */
export function withAlpha(colour: string, alpha: number): string {
  const [r = '0', g = '0', b = '0'] = colour.match(/[\d.]+/g) ?? [];
  return `rgba(${r}, ${g}, ${b}, ${alpha})`;
}
