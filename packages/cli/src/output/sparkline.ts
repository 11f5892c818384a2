// Draws values over time in one line of a terminal, with block elements.

const BLOCKS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/** A range below this share of the highest value is drawn as a level line, so that noise does not look like a mountain. */
const LEVEL_SHARE = 0.02;
/** A gap is drawn if no value follows within this multiple of the usual distance. */
const GAP = 3;

export type Curve = { readonly t: ArrayLike<number>; readonly value: ArrayLike<number> };

export type SparklineShape = {
  /** The width in columns, at least 1. Shorter curves are drawn in one column per value. */
  readonly columns: number;
  /** The end of the time axis in ms. It begins at 0, so that curves of one recording are aligned. */
  readonly to: number;
  /** What a column shows of its values. */
  readonly fold: 'mean' | 'max';
  /** What the lowest block stands for. */
  readonly floor: 'zero' | 'lowest';
};

/** Empty without values. A time without values is blank. */
export function sparkline(curve: Curve, shape: SparklineShape): string {
  const count = curve.t.length;
  if (count === 0) return '';
  const columns = Math.max(1, Math.min(shape.columns, count));
  const cells = withoutGaps(fold(curve, shape, columns), curve, shape.to / columns);
  const known = cells.filter((cell) => cell !== null);
  const high = Math.max(...known);
  const low = Math.min(shape.floor === 'zero' ? 0 : Math.min(...known), high);
  return cells.map((cell) => (cell === null ? ' ' : blockOf(cell, low, high))).join('');
}

function fold({ t, value }: Curve, { to, fold: by }: SparklineShape, columns: number) {
  const sums = new Array<number>(columns).fill(0);
  const counts = new Array<number>(columns).fill(0);
  for (let i = 0; i < t.length; i++) {
    const share = to > 0 ? (t[i] ?? 0) / to : 0;
    const at = Math.min(columns - 1, Math.max(0, Math.floor(share * columns)));
    const [sum = 0, one = 0] = [sums[at], value[i]];
    sums[at] = by === 'mean' || counts[at] === 0 ? sum + one : Math.max(sum, one);
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return sums.map((sum, i) => {
    const count = counts[i] ?? 0;
    if (count === 0) return null;
    return by === 'mean' ? sum / count : sum;
  });
}

/** Fills empty columns with the value before, where the values are only a little apart. */
function withoutGaps(cells: (number | null)[], { t }: Curve, width: number): (number | null)[] {
  const usual = ((t[t.length - 1] ?? 0) - (t[0] ?? 0)) / Math.max(1, t.length - 1);
  const longest = Math.max(1, Math.floor((usual * GAP) / width));
  const known = cells.flatMap((cell, i) => (cell === null ? [] : [i]));
  const filled = [...cells];
  for (const [i, at] of known.entries()) {
    const next = known[i + 1] ?? cells.length;
    if (next - at - 1 <= longest) filled.fill(cells[at] ?? null, at, next);
  }
  return filled;
}

function blockOf(value: number, low: number, high: number): string {
  if (high - low <= Math.abs(high) * LEVEL_SHARE) return BLOCKS[high > 0 ? 3 : 0] ?? '';
  const level = Math.floor(((value - low) / (high - low)) * BLOCKS.length);
  return BLOCKS[Math.min(BLOCKS.length - 1, Math.max(0, level))] ?? '';
}
