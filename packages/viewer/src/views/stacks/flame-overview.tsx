// The window in a flame graph's overview: which part of the whole graph is visible.
import type { Signal } from '@preact/signals';
import type { FlameInfo } from './draw/flame-info.ts';
import { ROW_PX } from './flame-input.ts';
import type { Viewport } from './layout/viewport.ts';

type Props = {
  readonly viewport: Signal<Viewport>;
  readonly info: Signal<FlameInfo | null>;
  /** The size of the overview, in CSS pixels. */
  readonly overview: { readonly width: number; readonly height: number };
  /** The height of the boxes in view, in CSS pixels. */
  readonly height: number;
};

/** A transform moves the window and its size is rounded, so that panning causes no layout or paint of the page. */
export function OverviewWindow({ viewport, info, overview, height }: Props) {
  const whole = info.value;
  if (whole === null || whole.span === 0) return null;
  const { x0, x1, top } = viewport.value;
  const tall = Math.max(height, whole.rows * ROW_PX);
  const all = x0 <= 0 && x1 >= whole.span;
  if (all && tall <= height) return null;
  const left = (x0 / whole.span) * overview.width;
  const down = (top / tall) * overview.height;
  return (
    <i
      class="overview-window"
      style={{
        width: `max(4px, ${(((x1 - x0) / whole.span) * 100).toFixed(3)}%)`,
        height: `${(Math.min(1, height / tall) * 100).toFixed(3)}%`,
        transform: `translate(${left.toFixed(2)}px, ${down.toFixed(2)}px)`,
      }}
    />
  );
}
