// Reads a log of PresentMon, and of the tools that write its columns: OCAT, CapFrameX and FrameView.
import { Float64List } from '../bytes/growable.ts';
import type { Header, KnownRecord } from '../format/records.ts';
import { notAProfile } from '../profiles/conversion.ts';
import { cleanName } from '../vpt/clean-name.ts';
import { describeGpu } from '../vpt/gpu-name.ts';
import { FrameList, isFrameTime, MOST_FRAMES } from './frame-list.ts';
import { type FrameLog, type FrameLogReader, seriesRecords } from './frame-log.ts';
import { KEPT, type Kept, PresentmonHeader } from './presentmon-header.ts';
import { type SecondMean, SecondMeans } from './second-means.ts';

/** Programs that are the game only if nothing else drew. */
const NO_GAMES: ReadonlySet<string> = new Set(['dwm.exe', '<unknown>', '<error>', 'explorer.exe']);
/** The most swap chains of a file. */
const CHAINS = 1000;

/** The rows of one swap chain. */
type Chain = {
  readonly program: string;
  readonly pid: number;
  readonly columns: readonly Float64List[];
};

export class PresentmonLog implements FrameLogReader {
  #header: PresentmonHeader | null = null;
  readonly #chains = new Map<string, Chain>();
  #gpu = '';
  #unreadable = 0;
  #rows = 0;
  #lost = 0;
  /** Whether a second recording begins in the file. */
  #isOver = false;

  row(cells: readonly string[]): void {
    const [first = ''] = cells;
    const [, lost] = /^warning: (\d{1,9}) (?:events|buffers) were lost/.exec(first) ?? [];
    if (lost !== undefined) this.#lost += Number(lost);
    else if (first.startsWith('//GPU=')) this.#gpu = first.slice('//GPU='.length);
    else if (this.#header !== null) this.#take(this.#header, cells);
    else if (!first.startsWith('//')) this.#header = PresentmonHeader.of(cells);
  }

  finish(): FrameLog {
    const header = this.#header;
    const chains = [...this.#chains.values()].sort(
      (a, b) => Number(isNoGame(a)) - Number(isNoGame(b)) || rowsOf(b) - rowsOf(a),
    );
    const [chain] = chains;
    if (header === null || chain === undefined) throw this.#empty();
    const { frames, means } = framesOf(header, chain);
    const starts = frames.starts(header.family.timed, frames.unitOfTimes(header.isCounter));
    const series = seriesRecords(means, starts, (column) => header.series[column] ?? null);
    const gpu = describeGpu(this.#gpu);
    return {
      header: { started_at: null, ...targetOf(chain), ...(gpu && { gpu }) },
      records: [
        ...choiceOf(chains),
        ...(this.#isOver ? [SEVERAL] : []),
        ...frames.records(starts),
        ...series,
        ...(this.#lost > 0
          ? [{ type: 'loss', t: 0, reason: 'buffer_full', count: this.#lost } as const]
          : []),
      ],
      torn: false,
      unreadable: this.#unreadable,
    };
  }

  #take(header: PresentmonHeader, cells: readonly string[]): void {
    this.#isOver ||= header.isHeader(cells);
    if (this.#isOver) return;
    const values = header.valuesIn(cells);
    const [time = Number.NaN, duration = Number.NaN] = values;
    // A frame that the driver or a library generated has no time of its own.
    if (duration === 0) return;
    const isReadable = isFrameTime(duration) && (!header.hasTimes || !Number.isNaN(time));
    const chain = isReadable && this.#rows < MOST_FRAMES ? this.#chainOf(header, cells) : null;
    if (chain === null) {
      this.#unreadable++;
      return;
    }
    this.#rows++;
    if (this.#gpu === '') this.#gpu = header.textIn(cells, 'gpu');
    for (const [column, value] of values.entries()) chain.columns[column]?.push(value);
  }

  /** The swap chain of a row. Null if the row has none, or the file has too many. */
  #chainOf(header: PresentmonHeader, cells: readonly string[]): Chain | null {
    const pid = header.textIn(cells, 'pid');
    const key = `${pid} ${header.textIn(cells, 'chain')}`;
    const known = this.#chains.get(key);
    if (known !== undefined) return known;
    if (!/^\d{1,10}$/.test(pid) || this.#chains.size >= CHAINS) return null;
    const program = header.textIn(cells, 'program');
    const columns = Array.from({ length: header.width }, () => new Float64List(8));
    const chain = { program, pid: Number(pid), columns };
    this.#chains.set(key, chain);
    return chain;
  }

  #empty() {
    return notAProfile(
      this.#header === null
        ? 'Cannot read the PresentMon log: it has no column with the duration of frames. Convert the log of the frames, not its summary'
        : 'Cannot read the PresentMon log: it has no frames. Record again while the game runs',
    );
  }
}

/** The frames of a chain in order of time, and the means of its series. Logs are not in this order. */
function framesOf(
  { family }: PresentmonHeader,
  { columns }: Chain,
): { readonly frames: FrameList; readonly means: readonly SecondMean[] } {
  const valueAt = (name: Kept, row: number): number =>
    columns[KEPT.indexOf(name)]?.values[row] ?? Number.NaN;
  const order = Array.from({ length: columns[0]?.length ?? 0 }, (_, row) => row);
  order.sort((a, b) => valueAt('time', a) - valueAt('time', b) || a - b);
  // OCAT writes facts about the computer, such as its clocks, in the first row only.
  const series = columns
    .slice(KEPT.length)
    .map((column) => (knownIn(column) > 1 || column.length === 1 ? column : null));
  const frames = new FrameList();
  const means = new SecondMeans();
  let before: number | null = null;
  for (const row of order) {
    const time = valueAt('time', row);
    // Several displayed frames of one call of Present have its time, and only the first is a frame of the game.
    if (family.timed === 'end' && before !== null && time === valueAt('time', before)) continue;
    const duration = valueAt('duration', row);
    // Old logs have no time of the CPU. As in new ones, it is the time outside of Present, which ends the frame before.
    const outside = before === null ? Number.NaN : duration - valueAt('inPresent', before);
    const busy = family.timed === 'end' ? outside : valueAt('busy', row);
    means.add(
      frames.length,
      duration,
      series.map((column) => column?.values[row] ?? Number.NaN),
    );
    const main_ms = busy >= 0 ? Math.min(busy, duration) : Number.NaN;
    frames.push({ time, duration, main_ms, gpu_ms: valueAt('gpu', row) });
    before = row;
  }
  return { frames, means: means.finish() };
}

/** The number of values in a column. */
function knownIn({ values, length }: Float64List): number {
  return values.subarray(0, length).reduce((sum, one) => sum + (Number.isNaN(one) ? 0 : 1), 0);
}

function rowsOf({ columns }: Chain): number {
  return columns[0]?.length ?? 0;
}

function isNoGame({ program }: Chain): boolean {
  return NO_GAMES.has(program.toLowerCase());
}

function targetOf({ pid, program }: Chain): Pick<Header, 'target'> {
  return pid > 0 ? { target: { pid, name: cleanName(program), started_at: null } } : {};
}

/** States which swap chain is shown if the file has several. */
function choiceOf(chains: readonly Chain[]): KnownRecord[] {
  const [chain] = chains;
  if (chain === undefined || chains.length < 2) return [];
  const programs = new Set(chains.map(({ pid }) => pid)).size;
  const of = programs > 1 ? ` of ${programs} programs` : '';
  const text = `The log has ${chains.length} swap chains${of}. This trace shows one of ${cleanName(chain.program)}, which has the most frames${isNoGame(chain) ? '' : ' of a game'}.`;
  return [{ type: 'log', t: 0, level: 'info', text }];
}

const SEVERAL: KnownRecord = {
  type: 'log',
  t: 0,
  level: 'warn',
  text: 'The file has several recordings, of which this trace shows the first. Convert each in a file of its own.',
};
