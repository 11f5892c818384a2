// Gives a flame graph's two canvases to the worker, and redraws them when what they show changes.
import { computed, type ReadonlySignal, type Signal, useSignalEffect } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { pixelRatio } from '../../state/pixel-ratio.ts';
import { colours, theme } from '../../state/theme.ts';
import type { FlameFeeds } from './canvas-feed.ts';
import type { BoxInfo, FlameInfo } from './draw/flame-info.ts';
import { flamePalette } from './draw/palette.ts';
import { ROW_PX } from './flame-input.ts';
import type { Viewport } from './layout/viewport.ts';

type Size = ReadonlySignal<{ readonly width: number; readonly height: number }>;

type Parts = {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly overview: RefObject<HTMLDivElement | null>;
  readonly feeds: FlameFeeds;
  readonly size: Size;
  readonly overviewSize: Size;
  readonly viewport: Signal<Viewport>;
  readonly info: Signal<FlameInfo | null>;
  readonly chosen: Signal<BoxInfo | null>;
  readonly upward: boolean;
};

/** Returns a function that redraws both canvases, for changes that no signal reports. */
export function useFlameDrawing(parts: Parts): () => void {
  const { box, overview, feeds, info, chosen } = parts;
  useEffect(() => {
    feeds.main.attach(box.current);
    feeds.overview.attach(overview.current);
    return () => {
      feeds.main.detach();
      feeds.overview.detach();
    };
  }, [feeds]);

  const palettes = useMemo(
    () => ({
      main: computed(() =>
        flamePalette(colours.value, theme.value === 'dark', chosen.value?.box ?? -1, true),
      ),
      overview: computed(() => flamePalette(colours.value, theme.value === 'dark', -1, false)),
    }),
    [chosen],
  );
  const drawMain = (): void => {
    const view = mainView(parts);
    if (view !== null) feeds.main.draw(view, palettes.main.value);
  };
  const drawOverview = (): void => {
    const view = overviewView(parts);
    if (view !== null) feeds.overview.draw(view, palettes.overview.value);
  };
  // Each effect runs again when a signal that it reads changes. A new scene sets new info.
  useSignalEffect(() => {
    if (info.value !== null) drawMain();
  });
  useSignalEffect(drawOverview);
  return () => {
    drawMain();
    drawOverview();
  };
}

function mainView({ size, viewport, upward }: Parts) {
  const { width, height } = size.value;
  const { x0, x1, top } = viewport.value;
  if (width === 0) return null;
  const ratio = pixelRatio.value;
  return {
    x0,
    x1,
    ratio,
    upward,
    top: top * ratio,
    width: Math.round(width * ratio),
    height: Math.round(height * ratio),
    rowHeight: ROW_PX * ratio,
  };
}

function overviewView({ overviewSize, info, upward }: Parts) {
  const whole = info.value;
  const { width, height } = overviewSize.value;
  if (width === 0 || whole === null) return null;
  const ratio = pixelRatio.value;
  const tall = Math.round(height * ratio);
  return {
    x0: 0,
    x1: Math.max(whole.span, Number.MIN_VALUE),
    ratio,
    upward,
    top: 0,
    width: Math.round(width * ratio),
    height: tall,
    rowHeight: Math.max(1, Math.min(3 * ratio, Math.floor(tall / Math.max(1, whole.rows)))),
  };
}
