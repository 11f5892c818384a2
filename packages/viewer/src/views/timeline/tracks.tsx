// All tracks on one axis: labels with the values at the crosshair, and a canvas. The crosshair is drawn above the canvas.
import { useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useSize } from '../../controls/use-size.ts';
import { canvasPen } from '../../draw/pen.ts';
import { timeToX } from '../../draw/time-axis.ts';
import { formatClock, formatMs } from '../../format/numbers.ts';
import { selection } from '../../state/address.ts';
import { pixelRatio } from '../../state/pixel-ratio.ts';
import { Crosshair, SpokenReadOut } from './crosshair.tsx';
import { drawTimeline } from './draw/draw-timeline.ts';
import { AXIS_HEIGHT } from './layout/track-rows.ts';
import { picture } from './picture.ts';
import type { Gap } from './timeline-data.ts';
import { handleTimelineInput } from './timeline-input.ts';
import { rows, timeline, visibleRange } from './timeline-state.ts';
import { TrackLabel } from './track-label.tsx';

export function Tracks() {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSize(box);
  useSignalEffect(() => {
    const { width } = size.value;
    const what = picture(width);
    if (width > 0 && canvas.current !== null) paint(canvas.current, what);
  });
  useEffect(() => (box.current === null ? undefined : handleTimelineInput(box.current)), []);
  const { width } = size.value;
  const { from, to } = visibleRange.value;
  return (
    <div class="tracks" style={{ height: `${rows.value.height}px` }}>
      <div class="track-labels">
        {rows.value.rows.map((row) => (
          <TrackLabel key={row.track.id} row={row} near={nearMs(width)} />
        ))}
      </div>
      <div
        ref={box}
        class="track-canvas"
        role="application"
        aria-roledescription="timeline"
        aria-label={`Timeline from ${formatClock(from)} to ${formatClock(to)}. Left and right move the crosshair, whose values are beside the tracks. Up and down, plus and minus zoom, Shift with arrows selects, Escape clears the selection. Show table lists everything.`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it takes keys
        tabIndex={0}
      >
        <canvas ref={canvas} />
        <Selected width={width} />
        <Crosshair width={width} />
        <Losses width={width} />
      </div>
      <SpokenReadOut near={nearMs(width)} />
    </div>
  );
}

/** The distance in ms at which an event counts as being at the crosshair: a few pixels. */
function nearMs(width: number): number {
  const { from, to } = visibleRange.value;
  return ((to - from) / Math.max(1, width)) * 4;
}

function paint(canvas: HTMLCanvasElement, what: ReturnType<typeof picture>): void {
  const ratio = pixelRatio.value;
  const width = Math.round(what.width * ratio);
  const height = Math.round(what.height * ratio);
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const context = canvas.getContext('2d');
  if (context === null) return;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  drawTimeline(canvasPen(context), what);
}

function Selected({ width }: { readonly width: number }) {
  const range = selection.value;
  if (range === null) return null;
  const left = timeToX(visibleRange.value, width, range.from);
  const right = timeToX(visibleRange.value, width, range.to);
  return (
    <i
      class="selected-range"
      style={{ left: `${left}px`, width: `${Math.max(1, right - left)}px` }}
      aria-hidden="true"
    />
  );
}

/** The minimum distance between two signs, so that they do not overlap. All gaps are drawn. */
const SIGN_PX = 16;

function apart(gaps: readonly Gap[], width: number): Gap[] {
  let last = Number.NEGATIVE_INFINITY;
  return gaps.filter((gap) => {
    const x = Math.max(0, timeToX(visibleRange.value, width, gap.t));
    if (x - last < SIGN_PX) return false;
    last = x;
    return true;
  });
}

/** Signs above gaps. The tooltip states what is missing. */
function Losses({ width }: { readonly width: number }) {
  const gaps = timeline.value?.gaps ?? [];
  // Notes have no gaps, so the signs are below their tracks.
  const top = rows.value.rows.find(({ track }) => track.source !== '')?.top ?? AXIS_HEIGHT;
  const shown = gaps.filter(
    (gap) => gap.t <= visibleRange.value.to && gap.t + gap.duration >= visibleRange.value.from,
  );
  return (
    <>
      {apart(shown, width).map((gap) => (
        <span
          key={`${gap.t}/${gap.reason}/${gap.source}`}
          class="loss"
          style={{
            top: `${top}px`,
            left: `${Math.min(width - 14, Math.max(0, timeToX(visibleRange.value, width, gap.t)))}px`,
          }}
          title={`Lost: ${gap.reason}${gap.count === null ? '' : `, ${gap.count} records`}${gap.duration > 0 ? `, ${formatMs(gap.duration)}` : ''}`}
        >
          !
        </span>
      ))}
    </>
  );
}
