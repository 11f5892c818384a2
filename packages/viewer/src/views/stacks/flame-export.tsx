// Buttons that save a flame graph as SVG or PNG.
import type { Signal } from '@preact/signals';
import { engineFor } from '../../client/engine-client.ts';
import { savePng, saveSvg } from '../../controls/chart-menu.tsx';
import { fitName } from '../../draw/fit-name.ts';
import type { Pen } from '../../draw/pen.ts';
import { colours, theme } from '../../state/theme.ts';
import { fileStem } from '../../traces/export-trace.ts';
import { mainTrace } from '../../traces/open-traces.ts';
import type { FlameInfo } from './draw/flame-info.ts';
import { cssOf, flamePalette } from './draw/palette.ts';
import { ROW_PX } from './flame-input.ts';
import type { StackCalls } from './stack-calls.ts';

const engine = engineFor<StackCalls>();

const WIDTH = 1600;
/** The maximum number of rows in a saved picture. */
const MOST_ROWS = 600;

type Props = {
  readonly canvas: string;
  readonly info: Signal<FlameInfo | null>;
  /** Which graph this is, for the file name and the tooltip. */
  readonly part?: string;
  /** Whether the roots are at the bottom. */
  readonly upward?: boolean;
};

export function FlameExport({ canvas, info, part = 'stacks', upward = false }: Props) {
  const size = (): { width: number; height: number } => ({
    width: WIDTH,
    height: Math.min(MOST_ROWS, info.value?.rows ?? 1) * ROW_PX + 8,
  });
  const draw = (pen: Pen): Promise<void> =>
    drawFlame(pen, canvas, { x1: info.value?.span ?? 1, height: size().height, upward });
  const name = `${fileStem(mainTrace.value?.name ?? 'trace')}-${part}`;
  const title = part === 'stacks' ? undefined : `Save the ${part}`;
  return (
    <div class="chart-menu">
      <button
        type="button"
        class="button small"
        title={title}
        onClick={() => void saveSvg(name, size(), draw)}
      >
        SVG
      </button>
      <button
        type="button"
        class="button small"
        title={title}
        onClick={() => void savePng(name, size(), draw)}
      >
        PNG
      </button>
    </div>
  );
}

type Part = { readonly x1: number; readonly height: number; readonly upward: boolean };

async function drawFlame(pen: Pen, canvas: string, part: Part): Promise<void> {
  const view = { ...part, x0: 0, top: 0, width: WIDTH, rowHeight: ROW_PX, ratio: 1 };
  const boxes = await engine.call('flameBoxes', { canvas, view });
  const palette = flamePalette(colours.value, theme.value === 'dark', -1, true);
  for (const box of boxes) {
    pen.rect(
      box.x,
      box.y,
      Math.max(0.5, box.width - 0.5),
      box.height,
      cssOf(palette.boxes[box.paint] ?? 0),
    );
    if (box.width > 30) {
      const room = Math.floor((box.width - 8) / 6.2);
      pen.text(box.x + 4, box.y + box.height / 2, fitName(box.name, room), palette.ink, 11);
    }
  }
}
