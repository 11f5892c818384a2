// The fast path must return what the parser returns, for every line. A space before the brace makes the reader use the parser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TraceError } from '../format/errors.ts';
import { parseHeader } from './parse-record.ts';
import { QuickFrames } from './quick-frames.ts';
import { readVpt } from './read-vpt.ts';

const SEED = Number(process.env['FC_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
console.log(`quick frames: FC_SEED=${SEED}`);

const headerOf = (...sources: string[]): string =>
  JSON.stringify({ vpt: 1, producer: { name: 'x', version: '1' }, started_at: null, sources });

/** The result of reading a line after a header: its records, or its error with the column counted from the brace. */
function outcome(sources: string[], line: string): unknown {
  const blanks = line.length - line.trimStart().length;
  try {
    const { lines, torn_bytes } = readVpt(`${headerOf(...sources)}\n${line}\n`);
    return { lines, torn_bytes };
  } catch (error) {
    if (!(error instanceof TraceError)) throw error;
    return `${error.code} ${error.message} ${(error.column ?? 0) - blanks}`;
  }
}

const digits = (most: number): fc.Arbitrary<string> =>
  fc.stringMatching(new RegExp(`^[0-9]{1,${most}}$`));
const written = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.nat().map(String),
  fc.tuple(digits(9), digits(7)).map(([whole, part]) => `${whole}.${part}`),
  digits(18),
  fc.constantFrom('null', '-0', '1e3', '0.', '.5', '00', '1 ', '9007199254740.5', '9007199254741'),
);
const columnText = fc.tuple(
  fc.constantFrom('duration_ms', 'draws', 'triangles', 'gpu_ms', 'main_ms', 'other'),
  fc.array(written, { maxLength: 3 }),
);
const field = fc.oneof(
  { weight: 5, arbitrary: columnText.map(([key, values]) => `"${key}":[${values.join()}]`) },
  fc.constantFrom('"source":"browser"', '"source":"native"', '"source":"import"', '"x":1', ''),
);
const line = fc
  .tuple(
    fc.oneof(digits(5), written),
    fc.array(field, { maxLength: 5 }),
    fc.constantFrom('', ' ', '}'),
  )
  .map(([t, fields, rest]) => `{"type":"frames","t":${[t, ...fields].join()}}${rest}`);

test('QuickFrames and the parser agree on every line, valid or not', () => {
  fc.assert(
    fc.property(line, fc.boolean(), (text, two) => {
      const sources = two ? ['native', 'browser'] : ['browser'];
      assert.deepEqual(outcome(sources, text), outcome(sources, ` ${text}`));
    }),
    { numRuns: 5000, seed: SEED },
  );
});

test('QuickFrames reads the same doubles as JSON.parse', () => {
  fc.assert(
    fc.property(fc.nat({ max: 9_999_999 }), digits(8), (whole, part) => {
      const text = `{"type":"frames","t":0,"duration_ms":[${whole}.${part}]}`;
      const quick = new QuickFrames(parseHeader(JSON.parse(headerOf('browser'))));
      assert.deepEqual(quick.read(new TextEncoder().encode(text)), JSON.parse(text));
    }),
    { numRuns: 5000, seed: SEED },
  );
});

test('QuickFrames accepts the lines that the writers produce', () => {
  const one = new QuickFrames(parseHeader(JSON.parse(headerOf('browser'))));
  const two = new QuickFrames(parseHeader(JSON.parse(headerOf('native', 'browser'))));
  const read = (reader: QuickFrames, record: object): unknown =>
    reader.read(new TextEncoder().encode(JSON.stringify(record)));
  const bare = { type: 'frames', t: 1000.125, duration_ms: [16.7, 16, 0.001, 0] };
  const full = {
    type: 'frames',
    t: 0,
    source: 'browser',
    duration_ms: [16.7, 33.4],
    draws: [12, null],
    triangles: [null, 900_000],
    gpu_ms: [3.25, null],
  };
  assert.deepEqual(read(one, bare), bare);
  assert.deepEqual(read(one, full), full);
  assert.deepEqual(read(two, full), full);
  assert.equal(read(two, bare), null, 'lacks a source');
  assert.equal(read(one, { ...bare, draws: [1] }), null, 'columns of two lengths');
  assert.equal(read(one, { ...bare, t: 1.0001 }), null, 'four decimals');
});
