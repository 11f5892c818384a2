// A series as a small line, with its range as the alternative text.
import type { SeriesPoint } from '@svc/trace';
import { drawSparkline } from '../draw/draw-sparkline.ts';
import { ChartCanvas } from './chart-canvas.tsx';

/** Its height in CSS pixels, without the edges. */
const HEIGHT = 18;

type Props = {
  readonly label: string;
  readonly points: readonly SeriesPoint[];
  /** Whether the series grows, which is drawn in the colour of a warning. */
  readonly grows?: boolean;
};

export function Sparkline({ label, points, grows = false }: Props) {
  return (
    <span class="sparkline">
      <ChartCanvas
        label={label}
        least={HEIGHT}
        most={HEIGHT}
        draw={(pen, size, colours) => drawSparkline(pen, points, { size, colours, grows })}
        of={[points, grows]}
      />
    </span>
  );
}
