// The buttons beside a chart: show as a table, save as SVG, save as PNG.
import type { Signal } from '@preact/signals';
import { canvasPen, type Pen, svgPen } from '../draw/pen.ts';
import { notify } from '../state/notices.ts';
import { colours } from '../state/theme.ts';
import { saveFile } from '../traces/export-trace.ts';
import { TableToggle } from './table-toggle.tsx';

type Props = {
  readonly name: string;
  readonly table: Signal<boolean>;
  readonly size: () => { width: number; height: number };
  readonly draw: (pen: Pen) => void | Promise<void>;
};

export function ChartMenu({ name, table, size, draw }: Props) {
  return (
    <div class="chart-menu">
      <TableToggle table={table} />
      <button type="button" class="button small" onClick={() => void saveSvg(name, size(), draw)}>
        SVG
      </button>
      <button type="button" class="button small" onClick={() => void savePng(name, size(), draw)}>
        PNG
      </button>
    </div>
  );
}

type Draw = Props['draw'];
type Size = { readonly width: number; readonly height: number };

/** Saves a drawing as an SVG file. */
export async function saveSvg(name: string, { width, height }: Size, draw: Draw): Promise<void> {
  const pen = svgPen(width, height, colours.value['surface']);
  await draw(pen);
  saveFile(new Blob([pen.finish()], { type: 'image/svg+xml' }), `${name}.svg`);
}

/** Saves a drawing as a PNG file at twice its size, or smaller if it would exceed 16,000 pixels. */
export async function savePng(name: string, { width, height }: Size, draw: Draw): Promise<void> {
  const scale = Math.min(2, 16_000 / Math.max(width, height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext('2d');
  if (context === null) return;
  context.scale(scale, scale);
  context.fillStyle = colours.value['surface'];
  context.fillRect(0, 0, width, height);
  await draw(canvasPen(context));
  canvas.toBlob((bytes) => {
    if (bytes === null) notify('bad', 'The browser could not create a PNG of this size.');
    else saveFile(bytes, `${name}.png`);
  });
}
