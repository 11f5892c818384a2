// Reads mutations of every corpus file with every reader. Each is read, or rejected with a position, within a time limit. FC_SEED=number repeats a run.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  AssetReportSink,
  FoldedConverter,
  FoldedTreeReader,
  layoutLeftHeavy,
  type PushReader,
  sumFrames,
  TraceError,
  TraceInfoReader,
  TraceModelBuilder,
  VptReader,
} from '../src/index.ts';

const SEED = Number(process.env['FC_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const MINUTES = 3;
const SLOWEST_MS = 5_000;
console.log(`fuzz of trace: FC_SEED=${SEED}`);

/** A small random generator (xorshift), so that a seed gives the same numbers everywhere. */
function random(seed: number): (below: number) => number {
  let state = seed | 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

function corpus(): Buffer[] {
  return ['golden', 'invalid'].flatMap((folder) => {
    const url = new URL(`../fixtures/${folder}/`, import.meta.url);
    return readdirSync(url)
      .filter((file) => /\.(vpt|folded)$/.test(file))
      .map((file) => readFileSync(new URL(file, url)))
      .filter((bytes) => bytes.length < 100_000);
  });
}

const TOKENS = [
  '{',
  '}',
  '[',
  ']',
  '"',
  ',',
  ':',
  '\\',
  '\n',
  '\r\n',
  ';',
  ' 1e400',
  '-0',
  '9'.repeat(40),
  '\u0000',
  '\ufeff',
  '_[k]',
  ' 5\n',
];

function mutated(files: readonly Buffer[], next: (below: number) => number): Buffer {
  let bytes = files[next(files.length)] ?? Buffer.alloc(0);
  for (let change = next(6); change >= 0; change--) {
    const at = next(bytes.length + 1);
    const to = Math.min(bytes.length, at + next(40));
    const other = files[next(files.length)] ?? bytes;
    const from = next(other.length + 1);
    const kinds = [
      Buffer.from([next(256)]),
      Buffer.from(TOKENS[next(TOKENS.length)] ?? ''),
      other.subarray(from, from + next(200)),
      bytes.subarray(at, to),
    ];
    const put = kinds[next(kinds.length)] ?? Buffer.alloc(0);
    bytes = Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(next(2) === 0 ? at : to)]);
  }
  return bytes;
}

function readAll(bytes: Uint8Array): void {
  const model = new TraceModelBuilder();
  const report = new AssetReportSink();
  attempt(new VptReader(model), bytes, () => {
    for (const stacks of model.snapshot().stacks) sumFrames(stacks.tree);
  });
  attempt(new VptReader(report), bytes, () => report.report());
  attempt(new TraceInfoReader(), bytes, () => undefined);
  attempt(new FoldedTreeReader(), bytes, ({ tree }) => layoutLeftHeavy(tree));
  const written: string[] = [];
  attempt(new FoldedConverter((text) => written.push(text)), bytes, () => {
    const reader = new VptReader({});
    reader.push(new TextEncoder().encode(written.join('')));
    assert.notEqual(reader.finish().end, null);
  });
}

function attempt<Result>(
  reader: PushReader<Result>,
  bytes: Uint8Array,
  then: (result: Result) => void,
): void {
  let result: Result;
  try {
    reader.push(bytes);
    result = reader.finish();
  } catch (error) {
    if (!(error instanceof TraceError)) throw error;
    assert.ok(error.line >= 1 && error.column >= 1);
    return;
  }
  then(result);
}

test('mutated files are read or rejected within a time limit', () => {
  const next = random(SEED);
  const files = corpus();
  const end = performance.now() + MINUTES * 60_000;
  let runs = 0;
  for (; performance.now() < end; runs++) {
    const bytes = mutated(files, next);
    const start = performance.now();
    try {
      readAll(bytes);
    } catch (error) {
      throw new Error(`FC_SEED=${SEED}, run ${runs}: ${JSON.stringify(bytes.toString('latin1'))}`, {
        cause: error,
      });
    }
    assert.ok(performance.now() - start < SLOWEST_MS, `run ${runs} of FC_SEED=${SEED} took long`);
  }
  console.log(`fuzz of trace: ${runs} inputs`);
  assert.ok(runs > 1000);
});
