// Requests a flame graph's scene and searches it. Keeps the view and the chosen box while the trace grows.
import type { Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { engineFor } from '../../client/engine-client.ts';
import { traceId } from '../../traces/open-traces.ts';
import type { BoxInfo, FlameInfo } from './draw/flame-info.ts';
import type { FlameProps } from './flame-props.ts';
import { type Viewport, viewportAfterGrowth } from './layout/viewport.ts';
import type { StackCalls } from './stack-calls.ts';

const engine = engineFor<StackCalls>();

type Props = FlameProps & {
  readonly viewport: Signal<Viewport>;
  readonly hover: Signal<BoxInfo | null>;
  readonly draw: () => void;
};

export function useFlameScene(props: Props): void {
  const { name, scene, revision, search, info, chosen, viewport, hover } = props;
  const request = JSON.stringify([traceId.value, scene]);
  /** The request whose scene is on the canvas. */
  const drawn = useRef('');
  const runSearch = useSearch(props);

  useEffect(() => {
    let current = true;
    void engine
      .call('flame', { canvas: name, scene })
      .then((next) => {
        if (!current) return;
        const before = info.peek();
        info.value = next;
        hover.value = null;
        if (before !== null && drawn.current === request) void keepView(props, before, next);
        else {
          viewport.value = { x0: 0, x1: Math.max(next.span, Number.MIN_VALUE), top: 0 };
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
  }, [request, revision]);

  useEffect(() => {
    if (info.peek() !== null) void runSearch();
  }, [search]);
}

/** Returns a function that searches both canvases by the latest pattern, also if an older rendering calls it. */
function useSearch({ name, search, searched, draw }: Props): () => Promise<void> {
  const pattern = useRef(search);
  pattern.current = search;
  return async () => {
    const wanted = pattern.current;
    const [found] = await Promise.all([
      engine.call('searchFlame', { canvas: name, pattern: wanted }),
      engine.call('searchFlame', { canvas: `${name}/overview`, pattern: wanted }),
    ]);
    if (wanted !== pattern.current) return;
    searched?.(found.boxes, found.share);
    draw();
  };
}

/** After the graph has grown, the chosen box stays chosen and in place. Without one, the same part stays in view. */
async function keepView(
  { name, scene, info, chosen, viewport }: Props,
  before: FlameInfo,
  after: FlameInfo,
): Promise<void> {
  const was = chosen.peek();
  const ordered = scene.kind === 'recorded';
  const again =
    was === null
      ? null
      : await engine.call('refindFlame', { canvas: name, box: was, ordered }).catch(() => null);
  if (info.peek() !== after || chosen.peek() !== was) return;
  viewport.value = viewportAfterGrowth(viewport.peek(), { before, after, was, again });
  chosen.value = again;
}
