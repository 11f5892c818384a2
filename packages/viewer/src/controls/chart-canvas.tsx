// A chart on a canvas that fills the available width, sharp at any pixel ratio, with an alternative text.
import { useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { canvasPen, type Pen } from '../draw/pen.ts';
import type { Colours } from '../draw/tokens.ts';
import { pixelRatio } from '../state/pixel-ratio.ts';
import { colours } from '../state/theme.ts';
import { useSize } from './use-size.ts';

type Props = {
  readonly label: string;
  /** In CSS pixels. */
  readonly height: number;
  readonly draw: (pen: Pen, width: number, colours: Colours) => void;
  /** The inputs of `draw`. The chart is redrawn when one of them changes. */
  readonly of: readonly unknown[];
};

export function ChartCanvas({ label, height, draw, of }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSize(box);
  const paint = (): void => {
    const { width } = size.value;
    const shown = colours.value;
    const ratio = pixelRatio.value;
    const context = canvas.current?.getContext('2d');
    if (!context || canvas.current === null || width === 0) return;
    canvas.current.width = Math.round(width * ratio);
    canvas.current.height = Math.round(height * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    draw(canvasPen(context), width, shown);
  };
  useSignalEffect(paint);
  useEffect(paint, [...of]);
  return (
    <div class="chart">
      <div ref={box} style={{ height: `${height}px` }}>
        <canvas ref={canvas} role="img" aria-label={label} />
      </div>
    </div>
  );
}
