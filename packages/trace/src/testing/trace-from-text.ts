// A short notation for test traces: lines of `t type values`, converted to `.vpt` text. For tests of any package.
//
//   browser                                  the header: sources, then optionally started=…, gpu=name, software=
//   0 frames 16.7*59 80                      durations; `*59` repeats a value 59 times; main_ms=5,-,70 is another column
//   0 process cpu=50 rss=1000 pss=900        one sample; or `0 process rss 1 2 3*9`: one per second
//   10 asset 7 rock.png texture decode main_thread_ms=30 bytes=4096
//   90 release 7 gpu_bytes=0                 the asset with the id 7 has no GPU memory left
//   20 stacks main;decode 3 | main;idle_[k] 1  folded stacks, separated by bars, with the suffixes of categories
//   20 stacks main;decode 3000@1.5           with a time: 1.5 ms after `t`, for 3000 µs
//   20 longtask 70        16 mark level      0 span 200 loading track
//   5 counter js_heap_bytes bytes 1000 2000  one value per second
//   40 note 1 duration_ms=500 boss fight     a note with an id; a text of `-` is empty
//   30 loss hidden_tab 500 [count=3 probe=files]  9 log info text to the end    900 end off
//   native:…                                 `t native:type`: the source, if the header has several
import type {
  AssetId,
  Header,
  KnownRecord,
  RecordType,
  Source,
  StacksRecord,
} from '../format/records.ts';
import { ASSET_KINDS, ASSET_PHASES, SOURCES } from '../format/records.ts';
import { FRAME_CATEGORIES, suffixOf } from '../stacks/frame-table.ts';
import { formatHeader, formatRecord } from '../vpt/format-record.ts';

/** Throws RangeError for an invalid line. */
export function traceFromText(text: string): string {
  const [head = '', ...lines] = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const tables = new Map<string, Tables>();
  const records = lines.flatMap((line) => recordsOf(line, tables));
  return formatHeader(headerOf(head)) + records.map(formatRecord).join('');
}

function headerOf(line: string): Header {
  const { words, options } = splitLine(line.split(/\s+/));
  const sources = words.map((word) => SOURCES.find((one) => one === word) ?? fail(line));
  return {
    vpt: 1,
    producer: { name: 'fixture', version: '1' },
    started_at: options.get('started') ?? null,
    sources,
    ...(options.has('gpu') && {
      gpu: { name: options.get('gpu') ?? '', software: options.has('software') },
    }),
  };
}

function recordsOf(line: string, tables: Map<string, Tables>): KnownRecord[] {
  const [time = '', kind = '', ...rest] = line.split(/\s+/);
  const [, sourceText, type = ''] = /^(?:(\w+):)?(\w+)$/.exec(kind) ?? fail(line);
  const source = SOURCES.find((one) => one === sourceText);
  const t = Number(time);
  if (!Number.isFinite(t)) fail(line);
  const at = { t, ...(source && { source }) };
  const notation: Notation | undefined = Object.hasOwn(NOTATIONS, type)
    ? NOTATIONS[type as RecordType]
    : undefined;
  return notation?.(at, rest, of(tables, sourceText ?? '')) ?? fail(line);
}

type At = { readonly t: number; readonly source?: Source };
/** Reads the words after the type of a line. */
type Notation = (at: At, rest: string[], tables: Tables) => KnownRecord[];

/** The notation of each record type. */
const NOTATIONS: { readonly [Type in RecordType]: Notation } = {
  frames: (at, rest) => {
    const { words, options } = splitLine(rest);
    const columns = [...options].map(([key, values]) => [
      key,
      values.split(',').map((value) => (value === '-' ? null : Number(value))),
    ]);
    const duration_ms = words.flatMap(repeated);
    return [{ type: 'frames', ...at, duration_ms, ...Object.fromEntries(columns) }];
  },
  process: (at, rest) => {
    const { words, options } = splitLine(rest);
    return processOf(at, words, options);
  },
  asset: (at, rest) => {
    const { words, options } = splitLine(rest);
    return [assetOf(at, words, options)];
  },
  release: (at, rest) => {
    const { words, options } = splitLine(rest);
    return [{ type: 'release', ...at, id: idOf(words[0]), ...numbersOf(options) }];
  },
  stacks: (at, rest, tables) => [stacksOf(at, rest, tables)],
  longtask: (at, rest) => [
    { type: 'longtask', ...at, duration_ms: Number(wordsOf(rest)[0]), ...numbersIn(rest) },
  ],
  mark: (at, rest) => [{ type: 'mark', ...at, name: wordsOf(rest).join(' ') }],
  span: (at, rest) => {
    const [duration, name = '', track = ''] = wordsOf(rest);
    return [{ type: 'span', ...at, duration_ms: Number(duration), name, ...(track && { track }) }];
  },
  counter: (at, rest) => {
    const [name = '', unit = '', ...values] = wordsOf(rest);
    return values
      .flatMap(repeated)
      .map((value, i) => ({ type: 'counter', ...at, t: at.t + i * 1000, name, unit, value }));
  },
  log: (at, [level = 'info', ...text]) => [{ type: 'log', ...at, level, text: text.join(' ') }],
  note: (at, rest) => {
    const { words, options } = splitLine(rest);
    const [id, ...text] = words;
    const written = text.join(' ');
    return [
      {
        type: 'note',
        ...at,
        id: idOf(id),
        text: written === '-' ? '' : written,
        ...numbersOf(options),
      },
    ];
  },
  loss: (at, rest) => {
    const { words, options } = splitLine(rest);
    const [reason = '', duration = ''] = words;
    const timed = duration && { duration_ms: Number(duration) };
    const probe = options.get('probe');
    options.delete('probe');
    return [
      { type: 'loss', ...at, reason, ...timed, ...numbersOf(options), ...(probe && { probe }) },
    ];
  },
  end: (at, rest) => [{ type: 'end', ...at, reason: wordsOf(rest)[0] ?? '' }],
};

function wordsOf(rest: string[]): string[] {
  return splitLine(rest).words;
}

function numbersIn(rest: string[]): Record<string, number> {
  return numbersOf(splitLine(rest).options);
}

/** `cpu=50 rss=1000` is one sample; `rss 1 2 3` is one sample per second, starting at `t`. */
function processOf(at: At, words: string[], options: Map<string, string>): KnownRecord[] {
  const keys: Record<string, string> = { cpu: 'cpu_percent', rss: 'rss_bytes', pss: 'pss_bytes' };
  if (words.length === 0) {
    const values = [...options].map(([key, value]) => [keys[key] ?? key, Number(value)]);
    return [{ type: 'process', ...at, rss_bytes: 0, ...Object.fromEntries(values) }];
  }
  const [column = '', ...values] = words;
  return values.flatMap(repeated).map((value, i) => ({
    type: 'process',
    ...at,
    t: at.t + i * 1000,
    rss_bytes: 0,
    ...Object.fromEntries([[keys[column] ?? column, value]]),
  }));
}

function assetOf(at: At, words: string[], options: Map<string, string>): KnownRecord {
  const [id, name = '', kind, phase] = words;
  const dims = options.get('dims')?.split('x').map(Number);
  const format = options.get('format');
  const flags = ['cached', 'mapped', 'opaque']
    .filter((flag) => options.has(flag))
    .map((flag) => [flag, true]);
  for (const key of ['dims', 'format', 'cached', 'mapped', 'opaque']) options.delete(key);
  return {
    type: 'asset',
    ...at,
    id: idOf(id),
    name,
    kind: ASSET_KINDS.find((one) => one === kind) ?? fail(words.join(' ')),
    phase: ASSET_PHASES.find((one) => one === phase) ?? fail(words.join(' ')),
    ...numbersOf(options),
    ...(dims && { dims }),
    ...(format && { format }),
    ...Object.fromEntries(flags),
  };
}

function idOf(word = ''): AssetId {
  return /^\d+$/.test(word) ? Number(word) : word;
}

/** `5*3` is 5, 5, 5. */
function repeated(word: string): number[] {
  const [value = '', times = '1'] = word.split('*');
  return Array.from({ length: Number(times) }, () => Number(value));
}

/** The names and nodes that one source has defined so far. */
type Tables = { names: string[]; nodes: string[] };

function stacksOf(at: At, words: string[], tables: Tables): StacksRecord {
  const { names, nodes } = tables;
  const record = { first_name: names.length, first_node: nodes.length };
  const parents: number[] = [];
  const node_names: number[] = [];
  const categories: string[] = [];
  const samples = words
    .join(' ')
    .split('|')
    .map((sample) => {
      const [, stack = '', weight = ''] = /^\s*(.*) (\S+)\s*$/.exec(sample) ?? fail(sample);
      let node = -1;
      for (const frame of stack.split(';')) {
        const key = `${node};${frame}`;
        if (!names.includes(frame)) names.push(frame);
        if (!nodes.includes(key)) {
          nodes.push(key);
          parents.push(node);
          node_names.push(names.indexOf(frame));
          categories.push(categoryOf(frame));
        }
        node = nodes.indexOf(key);
      }
      const [amount, at] = weight.split('@').map(Number);
      return { node, weight: amount ?? 0, at };
    });
  const timed = samples.some(({ at }) => at !== undefined);
  return {
    type: 'stacks',
    ...at,
    duration_ms: 1000,
    ...record,
    names: names
      .slice(record.first_name)
      .map((frame) => frame.slice(0, frame.length - suffixOf(categoryOf(frame)).length)),
    parents,
    node_names,
    categories,
    samples: {
      node: samples.map(({ node }) => node),
      weight: samples.map(({ weight }) => weight),
      ...(timed && { at_ms: samples.map(({ at }) => at ?? 0) }),
    },
    unit: timed ? 'ms' : 'samples',
    ...(timed && { scale: 1000 }),
  };
}

function categoryOf(frame: string): string {
  return FRAME_CATEGORIES.find((one) => one !== '' && frame.endsWith(suffixOf(one))) ?? '';
}

/** Separates words from `key=value` options (`key=` is a flag). */
function splitLine(parts: string[]): { words: string[]; options: Map<string, string> } {
  const words = parts.filter((part) => !/^\w+=/.test(part));
  const pairs = parts.filter((part) => /^\w+=/.test(part)).map((part) => part.split('=', 2));
  return { words, options: new Map(pairs.map(([key = '', value = '']) => [key, value])) };
}

function numbersOf(options: Map<string, string>): Record<string, number> {
  return Object.fromEntries([...options].map(([key, value]) => [key, Number(value)]));
}

function of(tables: Map<string, Tables>, key: string): Tables {
  const known = tables.get(key) ?? { names: [], nodes: [] };
  tables.set(key, known);
  return known;
}

function fail(line: string): never {
  throw new RangeError(`Cannot read the fixture line "${line}"`);
}
