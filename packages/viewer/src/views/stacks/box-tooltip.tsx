// The tooltip of the box under the pointer, placed below the box, or above it if there is no room.
import { type Signal, useSignalEffect } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { formatDelta, formatShare, formatValue } from '../../format/numbers.ts';
import type { BoxInfo, FlameInfo } from './draw/flame-info.ts';
import { ROW_PX } from './flame-input.ts';
import type { Viewport } from './layout/viewport.ts';

type Props = {
  readonly hover: Signal<BoxInfo | null>;
  readonly viewport: Signal<Viewport>;
  readonly info: Signal<FlameInfo | null>;
  readonly box: RefObject<HTMLDivElement | null>;
  readonly upward: boolean;
};

export function BoxTooltip({ hover, viewport, info, box, upward }: Props) {
  const tip = useRef<HTMLDivElement>(null);
  const sizes = useRef<Sizes | null>(null);
  const found = hover.value;
  // The tooltip is measured once for each box. Panning only moves it, without a layout.
  useLayoutEffect(() => {
    const element = tip.current;
    const frame = box.current?.getBoundingClientRect();
    if (element === null || frame === undefined || found === null) return;
    sizes.current = { frame, width: element.offsetWidth, height: element.offsetHeight };
    place(element, sizes.current, { found, viewport: viewport.peek(), upward });
  }, [found]);
  useSignalEffect(() => {
    const now = viewport.value;
    const over = hover.peek();
    if (tip.current === null || sizes.current === null || over === null) return;
    place(tip.current, sizes.current, { found: over, viewport: now, upward });
  });
  if (found === null || info.value === null) return null;
  return (
    <div ref={tip} class="tooltip" role="tooltip">
      <BoxFacts found={found} unit={info.value.unit} />
    </div>
  );
}

export function BoxFacts({ found, unit }: { readonly found: BoxInfo; readonly unit: string }) {
  const value = (weight: number): string => formatValue(weight, unit);
  return (
    <>
      <b class="wrap-anywhere">{found.name}</b>
      {found.category !== '' && <span class="muted"> {found.category}</span>}
      {found.before === null ? (
        <p>
          {value(found.total)} ({formatShare(found.share)} of what is shown), itself{' '}
          {value(found.self)}
        </p>
      ) : (
        <p>
          before {value(found.before)} ({formatShare(found.beforeShare)}), after{' '}
          {value(found.after ?? 0)} ({formatShare(found.afterShare)}):{' '}
          {formatDelta((found.afterShare ?? 0) - (found.beforeShare ?? 0), formatShare)} of all
        </p>
      )}
    </>
  );
}

/** The position of the graph on the screen and the size of the tooltip, in CSS pixels. */
type Sizes = { readonly frame: DOMRect; readonly width: number; readonly height: number };

function place(
  element: HTMLElement,
  { frame, width, height }: Sizes,
  { found, viewport, upward }: { found: BoxInfo; viewport: Viewport; upward: boolean },
): void {
  const scale = frame.width / (viewport.x1 - viewport.x0);
  const down = found.row * ROW_PX - viewport.top;
  const top = frame.top + (upward ? frame.height - down - ROW_PX : down);
  const left = frame.left + Math.max(0, (found.x0 - viewport.x0) * scale);
  const below = top + ROW_PX + 6;
  const y = below + height < innerHeight ? below : top - height - 6;
  const x = Math.max(6, Math.min(left, innerWidth - width - 6));
  element.style.transform = `translate(${x.toFixed(1)}px, ${Math.max(6, y).toFixed(1)}px)`;
}
