// A second, simple reader, written from docs/vpt.md without shared code. Both must return the same for the golden corpus.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const FOLDER = new URL('../fixtures/golden/', import.meta.url);

type Summary = Record<'samples' | 'stacks' | 'frames' | 'torn_bytes', number> & {
  weight_total: string;
  duration_ms: number | null;
  partial: boolean;
  gpu?: unknown;
  machine?: unknown;
  build?: unknown;
};
type Line = Record<string, unknown> & { type: string; t: number };
type Stacks = Line & {
  source?: string;
  names: string[];
  parents: number[];
  node_names: number[];
  categories?: string[];
  samples: { node: number[]; weight: (number | string)[] };
  unit: string;
  scale?: number | string;
};

/** An exact sum of decimals as text. */
function sumOf(values: readonly { digits: bigint; places: number }[]): string {
  const places = Math.max(0, ...values.map((value) => value.places));
  const sum = values.reduce(
    (all, one) => all + one.digits * 10n ** BigInt(places - one.places),
    0n,
  );
  const text = String(sum < 0n ? -sum : sum).padStart(places + 1, '0');
  const cut = text.length - places;
  const fraction = text.slice(cut).replace(/0+$/, '');
  return `${sum < 0n ? '-' : ''}${text.slice(0, cut)}${fraction === '' ? '' : `.${fraction}`}`;
}

function plainVpt(text: string): Summary {
  const [head = '', ...rest] = text.split('\n');
  const { gpu, machine, build }: Record<string, unknown> = JSON.parse(head.split('\0')[0] ?? '');
  const last = rest.pop() ?? '';
  const [tail = ''] = last.split('\0');
  let torn = false;
  try {
    if (tail !== '') JSON.parse(tail);
  } catch {
    torn = true;
  }
  const lines: Line[] = [...rest, ...(tail !== '' && !torn ? [tail] : [])].map((line) =>
    JSON.parse(line),
  );
  const stacks = lines.filter((line): line is Stacks => line.type === 'stacks');
  const nodes = new Map<string, string[]>();
  const names = new Map<string, string[]>();
  const frames = new Set<string>();
  const sampled = new Set<string>();
  for (const { source = '', ...record } of stacks) {
    const [known, paths] = [names.get(source) ?? [], nodes.get(source) ?? []];
    names.set(source, known);
    nodes.set(source, paths);
    known.push(...record.names);
    for (const [i, parent] of record.parents.entries()) {
      const frame = JSON.stringify([
        known[record.node_names[i] ?? 0],
        record.categories?.[i] ?? '',
      ]);
      frames.add(frame);
      paths.push(`${paths[parent] ?? ''}/${frame}`);
    }
    for (const node of record.samples.node) sampled.add(paths[node] ?? '');
  }
  const main = stacks.filter((record) => record.unit === stacks[0]?.unit);
  const measured = lines.filter(({ type }) => type !== 'note');
  const end = Math.max(0, ...measured.map((line) => line.t + extentOf(line)));
  return {
    samples: stacks.reduce((sum, record) => sum + record.samples.node.length, 0),
    weight_total: sumOf(
      main.flatMap((record) =>
        record.samples.weight.map((weight) => ({
          digits: BigInt(weight),
          places: String(record.scale ?? 1).length - 1,
        })),
      ),
    ),
    stacks: sampled.size,
    frames: frames.size,
    duration_ms: end === 0 ? null : Math.round(end * 1000) / 1000,
    gpu,
    machine,
    build,
    partial: lines.at(-1)?.type !== 'end',
    torn_bytes: Buffer.byteLength(torn ? last : last.slice(tail.length)),
  };
}

function extentOf({ type, duration_ms }: Line): number {
  if (type === 'frames' && Array.isArray(duration_ms)) {
    return duration_ms.reduce((sum: number, one) => sum + Number(one), 0);
  }
  const timed = ['longtask', 'span', 'asset', 'stacks', 'loss'].includes(type);
  return timed && typeof duration_ms === 'number' ? duration_ms : 0;
}

const STACK = /^(.*[^ \t].*|[^ \t])[ \t](-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[ \t\r]*$/s;
const TWO = /^(.*[^ \t].*?|[^ \t])[ \t]+(-?\d+)$/s;

function plainFolded(bytes: Buffer): Summary {
  const wide = bytes[0] === 0xff ? 'utf-16le' : bytes[0] === 0xfe ? 'utf-16be' : null;
  const body = wide === null ? bytes : Buffer.from(new TextDecoder(wide).decode(bytes));
  const stacks = splitBytes(body).flatMap((line, i) => {
    const text = i === 0 ? line?.replace(/^\ufeff/, '') : line;
    const match = text === undefined || /^(?:#|\/\/)/.test(text) ? null : STACK.exec(text);
    return match === null ? [] : [{ stack: match[1] ?? '', count: match[2] ?? '' }];
  });
  const two = stacks.filter(({ stack }) => TWO.test(stack)).length >= stacks.length * 0.9;
  const paths = stacks.map(({ stack }) => (two ? (TWO.exec(stack)?.[1] ?? stack) : stack));
  return {
    samples: stacks.length,
    weight_total: sumOf(stacks.map(({ count }) => decimalOf(count))),
    stacks: new Set(paths).size,
    frames: new Set(paths.flatMap((path) => path.split(';'))).size,
    duration_ms: null,
    partial: false,
    torn_bytes: 0,
  };
}

/** Lines as text; `undefined` for one that is not UTF-8. */
function splitBytes(bytes: Buffer): (string | undefined)[] {
  return bytes
    .toString('latin1')
    .split('\n')
    .map((line) => {
      const raw = Buffer.from(line, 'latin1');
      return raw.equals(Buffer.from(raw.toString('utf8'))) ? raw.toString('utf8') : undefined;
    });
}

function decimalOf(text: string): { digits: bigint; places: number } {
  const [number = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = number.split('.');
  const digits = BigInt(whole + fraction);
  const places = fraction.length - Number(exponent);
  return places >= 0 ? { digits, places } : { digits: digits * 10n ** BigInt(-places), places: 0 };
}

for (const file of readdirSync(FOLDER).filter((one) => /\.(?:vpt|folded)$/.test(one))) {
  test(`fixtures/golden/${file} is read the same by an independent reader`, () => {
    const bytes = readFileSync(new URL(file, FOLDER));
    const reported = file.endsWith('.vpt') ? plainVpt(bytes.toString('utf8')) : plainFolded(bytes);
    const golden: Record<string, unknown> = JSON.parse(
      readFileSync(new URL(`${file}.json`, FOLDER), 'utf8'),
    );
    const same = Object.fromEntries(Object.keys(reported).map((key) => [key, golden[key]]));
    assert.deepEqual({ ...reported }, same);
  });
}
