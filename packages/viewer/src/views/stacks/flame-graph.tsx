// A flame graph: overview, boxes, tooltip. The worker draws it; this component sends the worker what to show.
import { useSignal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { useSize } from '../../controls/use-size.ts';
import { BoxTooltip } from './box-tooltip.tsx';
import { CanvasFeed, type FlameFeeds } from './canvas-feed.ts';
import type { BoxInfo } from './draw/flame-info.ts';
import { OverviewWindow } from './flame-overview.tsx';
import type { FlameProps } from './flame-props.ts';
import type { Viewport } from './layout/viewport.ts';
import { useFlameDrawing } from './use-flame-drawing.ts';
import { useFlameInput } from './use-flame-input.ts';
import { useFlameScene } from './use-flame-scene.ts';

export function FlameGraph(props: FlameProps) {
  const box = useRef<HTMLDivElement>(null);
  const overview = useRef<HTMLDivElement>(null);
  const size = useSize(box);
  const overviewSize = useSize(overview);
  const viewport = useSignal<Viewport>({ x0: 0, x1: 1, top: 0 });
  const hover = useSignal<BoxInfo | null>(null);
  const { name, info, chosen, upward = false } = props;
  const feeds = useMemo<FlameFeeds>(
    () => ({ main: new CanvasFeed(name), overview: new CanvasFeed(`${name}/overview`) }),
    [name],
  );
  const draw = useFlameDrawing({
    box,
    overview,
    feeds,
    size,
    overviewSize,
    viewport,
    info,
    chosen,
    upward,
  });
  useFlameScene({ ...props, viewport, hover, draw });
  useFlameInput(box, { ...props, viewport, hover, size, upward });
  return (
    <div class="flame">
      <div ref={overview} class="flame-overview" aria-hidden="true">
        <OverviewWindow
          viewport={viewport}
          info={info}
          overview={overviewSize.value}
          height={size.value.height}
        />
      </div>
      <div
        ref={box}
        class="flame-boxes"
        role="application"
        aria-roledescription="flame graph"
        aria-label={`${props.label}. Arrow keys go from box to box, Enter zooms to one, plus and minus zoom, Escape shows all. Table and Tree list the same.`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it handles keys
        tabIndex={0}
      />
      <p class="visually-hidden" aria-live="polite">
        {chosen.value === null ? '' : spokenText(chosen.value)}
      </p>
      <BoxTooltip hover={hover} viewport={viewport} info={info} box={box} upward={upward} />
      {props.children}
    </div>
  );
}

function spokenText({ name, share, row }: BoxInfo): string {
  return `${name}, ${(share * 100).toFixed(1)} percent, depth ${row + 1}`;
}
