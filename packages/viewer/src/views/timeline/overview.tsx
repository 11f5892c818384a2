// The overview: the whole trace in a strip, with a window that shows and moves the view.

import { useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useSize } from '../../controls/use-size.ts';
import { canvasPen } from '../../draw/pen.ts';
import { panBy, timeToX, within, xToTime } from '../../draw/time-axis.ts';
import { budgetMs, selection } from '../../state/address.ts';
import { pixelRatio } from '../../state/pixel-ratio.ts';
import { colours } from '../../state/theme.ts';
import { OverviewCrosshair } from './crosshair.tsx';
import { drawOverview } from './draw/draw-overview.ts';
import { timeline, visibleRange, wholeRange } from './timeline-state.ts';

export function Overview() {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSize(box);
  useSignalEffect(() => {
    const { width, height } = size.value;
    const context = canvas.current?.getContext('2d');
    if (!context || !canvas.current || width === 0 || timeline.value === null) return;
    const ratio = pixelRatio.value;
    canvas.current.width = Math.round(width * ratio);
    canvas.current.height = Math.round(height * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    drawOverview(canvasPen(context), timeline.value, {
      whole: wholeRange.value,
      width,
      height,
      budgetMs: budgetMs.value,
      colours: colours.value,
    });
  });
  useEffect(() => dragWindow(box.current), []);
  const { width } = size.value;
  const whole = wholeRange.value;
  const left = timeToX(whole, width, visibleRange.value.from);
  const right = timeToX(whole, width, visibleRange.value.to);
  return (
    <div class="overview-row">
      <span class="overview-label" aria-hidden="true">
        Overview
      </span>
      <div ref={box} class="overview" aria-hidden="true">
        <canvas ref={canvas} />
        {selection.value !== null && (
          <i
            class="overview-selection"
            style={{
              left: `${timeToX(whole, width, selection.value.from)}px`,
              width: `${Math.max(2, timeToX(whole, width, selection.value.to) - timeToX(whole, width, selection.value.from))}px`,
            }}
          />
        )}
        <OverviewCrosshair width={width} />
        <i
          class="overview-window"
          style={{ left: `${left}px`, width: `${Math.max(6, right - left)}px` }}
        />
      </div>
    </div>
  );
}

/** Dragging moves the window. A press outside of it centres it there. */
function dragWindow(element: HTMLElement | null): (() => void) | undefined {
  if (element === null) return undefined;
  const stop = new AbortController();
  let last: number | null = null;
  const timeOf = (event: PointerEvent): number => {
    const rect = element.getBoundingClientRect();
    return xToTime(wholeRange.value, rect.width, event.clientX - rect.left);
  };
  element.addEventListener(
    'pointerdown',
    (event) => {
      element.setPointerCapture(event.pointerId);
      const t = timeOf(event);
      const { from, to } = visibleRange.value;
      if (t < from || t > to) {
        const half = (to - from) / 2;
        visibleRange.value = within({ from: t - half, to: t + half }, wholeRange.value);
      }
      last = t;
    },
    { signal: stop.signal },
  );
  element.addEventListener(
    'pointermove',
    (event) => {
      if (last === null) return;
      const t = timeOf(event);
      visibleRange.value = panBy(visibleRange.value, t - last, wholeRange.value);
      last = t;
    },
    { signal: stop.signal },
  );
  const drop = (): void => {
    last = null;
  };
  element.addEventListener('pointerup', drop, { signal: stop.signal });
  element.addEventListener('pointercancel', drop, { signal: stop.signal });
  return () => stop.abort();
}
