// A flame graph: overview, boxes, and what the pointer or the keyboard is on. Drawn by the worker; this sends it what is seen.
import { computed, effect, type Signal, useSignal, useSignalEffect } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { engineFor } from '../../client/engine-client.ts';
import { useSize } from '../../controls/use-size.ts';
import { pixelRatio } from '../../state/pixel-ratio.ts';
import { colours, theme } from '../../state/theme.ts';
import { traceIdentity } from '../../traces/open-traces.ts';
import { BoxTooltip } from './box-tooltip.tsx';
import { CanvasFeed } from './canvas-feed.ts';
import type { SceneRequest } from './derive/scene-request.ts';
import type { BoxInfo, FlameInfo } from './draw/flame-info.ts';
import { flamePalette } from './draw/palette.ts';
import { FlameInput, ROW_PX } from './flame-input.ts';
import { type Seen, seenAfterGrowth } from './layout/seen.ts';
import type { StackCalls } from './stack-calls.ts';
import { matchStep } from './stack-state.ts';

const engine = engineFor<StackCalls>();

export type FlameProps = {
  /** Names the canvas; unique on the page. */
  readonly name: string;
  readonly label: string;
  readonly scene: SceneRequest;
  /** Goes up when the same scene must be asked for again. */
  readonly revision: number;
  readonly search: string;
  readonly upward?: boolean;
  readonly info: Signal<FlameInfo | null>;
  readonly searched?: (boxes: number, share: number) => void;
  readonly chosen: Signal<BoxInfo | null>;
  readonly open?: (box: BoxInfo) => void;
  readonly children?: ComponentChildren;
};

export function FlameGraph(props: FlameProps) {
  const box = useRef<HTMLDivElement>(null);
  const mini = useRef<HTMLDivElement>(null);
  const size = useSize(box);
  const miniSize = useSize(mini);
  const seen = useSignal<Seen>({ x0: 0, x1: 1, top: 0 });
  const hover = useSignal<BoxInfo | null>(null);
  const { name, info, chosen } = props;
  const feeds = useMemo(
    () => ({ main: new CanvasFeed(name), mini: new CanvasFeed(`${name}/overview`) }),
    [name],
  );
  const request = JSON.stringify([traceIdentity.value, props.scene]);
  /** What is on the canvas. */
  const drawn = useRef('');
  /** The latest, also for an answer to an older rendering. */
  const pattern = useRef(props.search);
  pattern.current = props.search;

  useEffect(() => {
    feeds.main.attach(box.current);
    feeds.mini.attach(mini.current);
    return () => {
      feeds.main.detach();
      feeds.mini.detach();
    };
  }, [feeds]);

  useEffect(() => {
    let current = true;
    void engine
      .call('flame', { canvas: name, scene: props.scene })
      .then((next) => {
        if (!current) return;
        const before = info.peek();
        info.value = next;
        hover.value = null;
        if (before !== null && drawn.current === request) void stay(before, next);
        else {
          seen.value = { x0: 0, x1: Math.max(next.span, Number.MIN_VALUE), top: 0 };
          chosen.value = null;
        }
        drawn.current = request;
        void runSearch();
      })
      .catch(() => {
        if (current) info.value = null;
      });
    return () => {
      current = false;
    };
  }, [request, props.revision]);

  /** The same graph has grown: the chosen box stays chosen and where it is on the screen, or the same part stays in view. */
  async function stay(before: FlameInfo, after: FlameInfo): Promise<void> {
    const was = chosen.peek();
    const again =
      was === null
        ? null
        : await engine
            .call('refindFlame', {
              canvas: name,
              box: was,
              ordered: props.scene.kind === 'recorded',
            })
            .catch(() => null);
    if (info.peek() !== after || chosen.peek() !== was) return;
    seen.value = seenAfterGrowth(seen.peek(), { before, after, was, again });
    chosen.value = again;
  }

  async function runSearch(): Promise<void> {
    const wanted = pattern.current;
    const [found] = await Promise.all([
      engine.call('searchFlame', { canvas: name, pattern: wanted }),
      engine.call('searchFlame', { canvas: `${name}/overview`, pattern: wanted }),
    ]);
    if (wanted !== pattern.current) return;
    props.searched?.(found.boxes, found.share);
    redraw();
    redrawOverview();
  }
  useEffect(() => {
    if (info.peek() !== null) void runSearch();
  }, [props.search]);

  const palettes = useMemo(
    () => ({
      main: computed(() =>
        flamePalette(colours.value, theme.value === 'dark', chosen.value?.box ?? -1, true),
      ),
      mini: computed(() => flamePalette(colours.value, theme.value === 'dark', -1, false)),
    }),
    [chosen],
  );

  function redraw(): void {
    const { width, height } = size.value;
    const { x0, x1, top } = seen.value;
    if (width === 0) return;
    const ratio = pixelRatio.value;
    feeds.main.draw(
      {
        x0,
        x1,
        ratio,
        upward: props.upward ?? false,
        top: top * ratio,
        width: Math.round(width * ratio),
        height: Math.round(height * ratio),
        rowHeight: ROW_PX * ratio,
      },
      palettes.main.value,
    );
  }

  function redrawOverview(): void {
    const whole = info.value;
    const { width, height } = miniSize.value;
    if (width === 0 || whole === null) return;
    const ratio = pixelRatio.value;
    const tall = Math.round(height * ratio);
    feeds.mini.draw(
      {
        x0: 0,
        x1: Math.max(whole.span, Number.MIN_VALUE),
        ratio,
        upward: props.upward ?? false,
        top: 0,
        width: Math.round(width * ratio),
        height: tall,
        rowHeight: Math.max(1, Math.min(3 * ratio, Math.floor(tall / Math.max(1, whole.rows)))),
      },
      palettes.mini.value,
    );
  }
  // Each is drawn anew when what it reads changes; a new scene comes with new info.
  useSignalEffect(() => {
    if (info.value !== null) redraw();
  });
  useSignalEffect(redrawOverview);

  useEffect(() => {
    if (box.current === null) return;
    const input = new FlameInput(box.current, {
      name,
      info,
      seen,
      hover,
      chosen,
      size,
      upward: props.upward ?? false,
      open: props.open,
    });
    // The step that was asked for before this graph was there is not for it.
    let last = matchStep.peek();
    const stopSteps = effect(() => {
      const step = matchStep.value;
      if (step === null || step === last || props.searched === undefined) return;
      last = step;
      input.goToMatch(step);
    });
    return () => {
      stopSteps();
      input.stop();
    };
  }, [name, props.upward]);

  return (
    <div class="flame">
      <div ref={mini} class="flame-overview" aria-hidden="true">
        <Window seen={seen} info={info} overview={miniSize.value} height={size.value.height} />
      </div>
      <div
        ref={box}
        class="flame-boxes"
        role="application"
        aria-roledescription="flame graph"
        aria-label={`${props.label}. Arrow keys go from box to box, Enter zooms to one, plus and minus zoom, Escape shows all. Table and Tree list the same.`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it takes keys
        tabIndex={0}
      />
      <p class="visually-hidden" aria-live="polite">
        {chosen.value === null
          ? ''
          : `${chosen.value.name}, ${(chosen.value.share * 100).toFixed(1)} percent, depth ${chosen.value.row + 1}`}
      </p>
      <BoxTooltip hover={hover} seen={seen} info={info} box={box} upward={props.upward ?? false} />
      {props.children}
    </div>
  );
}

/** Moved by a transform, its size to the thousandth: while one pans, the page is neither laid out nor painted anew. */
function Window({
  seen,
  info,
  overview,
  height,
}: {
  seen: Signal<Seen>;
  info: Signal<FlameInfo | null>;
  overview: { readonly width: number; readonly height: number };
  height: number;
}) {
  const whole = info.value;
  if (whole === null || whole.span === 0) return null;
  const { x0, x1, top } = seen.value;
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
