// A chart on a canvas that fills the available room, sharp at any pixel ratio, with an alternative text.
import { useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { canvasPen, type Pen } from '../draw/pen.ts';
import type { Colours } from '../draw/tokens.ts';
import { pixelRatio } from '../state/pixel-ratio.ts';
import { colours } from '../state/theme.ts';
import { useSize } from './use-size.ts';

/** In CSS pixels. */
export type ChartSize = { readonly width: number; readonly height: number };

type Props = {
  readonly label: string;
  /** The bounds of the height in CSS pixels. Between them the chart fills the room that its container leaves. */
  readonly least: number;
  readonly most: number;
  readonly draw: (pen: Pen, size: ChartSize, colours: Colours) => void;
  /** The inputs of `draw`. The chart is redrawn when one of them changes. */
  readonly of: readonly unknown[];
  /** Called with the place of a click: 0 at the left edge, 1 at the right. What it does must also be reachable by keys. */
  readonly choose?: (place: number) => void;
  /** What a click does. */
  readonly title?: string;
};

export function ChartCanvas({ label, least, most, draw, of, choose, title }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSize(box);
  const paint = (): void => {
    const { width, height } = size.value;
    const shown = colours.value;
    const ratio = pixelRatio.value;
    const context = canvas.current?.getContext('2d');
    if (!context || canvas.current === null || width === 0) return;
    canvas.current.width = Math.round(width * ratio);
    canvas.current.height = Math.round(height * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    draw(canvasPen(context), { width, height }, shown);
  };
  useSignalEffect(paint);
  useEffect(paint, [...of]);
  return (
    <div class="chart" style={{ minHeight: withEdges(least), maxHeight: withEdges(most) }}>
      <div ref={box}>
        <canvas
          ref={canvas}
          role="img"
          aria-label={label}
          title={title}
          class={choose && 'choosable'}
          onClick={choose && ((event) => choose(event.offsetX / Math.max(1, size.value.width)))}
        />
      </div>
    </div>
  );
}

/** Adds the padding and the border around a chart. */
function withEdges(height: number): string {
  return `calc(${height}px + 2 * var(--space-2) + 2px)`;
}
