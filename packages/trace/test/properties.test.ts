// Properties of every trace, checked on 1,000 random ones each. FC_SEED=number repeats a run.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  FoldedConverter,
  FoldedTreeReader,
  findNotePlace,
  formatDecimal,
  formatHeader,
  formatNotes,
  formatRecord,
  modelOf,
  type PushReader,
  readFolded,
  readVpt,
  TraceError,
  TraceInfoReader,
  treeTotal,
  VptReader,
} from '../src/index.ts';
import { type ArbitraryTrace, arbitraryTrace, foldedLine } from './arbitrary-trace.ts';

const SEED = Number(process.env['FC_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const RUNS = { numRuns: 1000, seed: SEED };
console.log(`properties of trace: FC_SEED=${SEED}`);

const encoder = new TextEncoder();

function write({ header, records }: ArbitraryTrace): string {
  return formatHeader(header) + records.map(formatRecord).join('');
}

function finish<Result>(reader: PushReader<Result>, chunks: readonly Uint8Array[]): Result {
  for (const chunk of chunks) reader.push(chunk);
  return reader.finish();
}

/** The result, or the TraceError. Other errors are thrown. */
function outcome<Result>(
  reader: PushReader<Result>,
  chunks: readonly Uint8Array[],
): Result | string {
  try {
    return finish(reader, chunks);
  } catch (error) {
    if (error instanceof TraceError)
      return `${error.code} ${error.line}:${error.column} ${error.message}`;
    throw error;
  }
}

/** Splits at the given positions, which may be unordered. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const sorted = [
    0,
    ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b),
    bytes.length,
  ];
  return sorted.slice(1).map((end, i) => bytes.slice(sorted[i], end));
}

const places = fc.array(fc.nat(), { maxLength: 6 });
const mutation = fc.array(
  fc.tuple(fc.nat(), fc.nat({ max: 255 }), fc.constantFrom('set', 'drop', 'insert')),
  { minLength: 1, maxLength: 4 },
);

function mutated(
  bytes: Uint8Array,
  changes: readonly (readonly [number, number, string])[],
): Uint8Array {
  const list = Array.from(bytes);
  for (const [place, value, how] of changes) {
    const at = place % (list.length + 1);
    list.splice(at, how === 'insert' ? 0 : 1, ...(how === 'drop' ? [] : [value]));
  }
  return Uint8Array.from(list);
}

test('a written trace reads back equal, and is the same bytes when written again', () => {
  fc.assert(
    fc.property(arbitraryTrace, (trace) => {
      const text = write(trace);
      const read = readVpt(text);
      assert.deepEqual(read.header, trace.header);
      assert.deepEqual(read.lines, trace.records);
      assert.equal(write({ header: read.header, records: trace.records }), text);
      modelOf(text);
    }),
    RUNS,
  );
});

test('a trace reads the same wherever it is split, and is partial or rejected wherever it is cut', () => {
  fc.assert(
    fc.property(arbitraryTrace, places, fc.nat(), (trace, at, end) => {
      const bytes = encoder.encode(write(trace));
      const whole = finish(new VptReader({}), [bytes]);
      assert.deepEqual(finish(new VptReader({}), cut(bytes, at)), whole);
      const part = outcome(new VptReader({}), [bytes.subarray(0, end % (bytes.length + 1))]);
      assert.ok(typeof part !== 'string' || part.startsWith('not_a_trace 1:'), String(part));
    }),
    RUNS,
  );
});

test('a trace that is cut and padded with NUL bytes reads like the part before them', () => {
  fc.assert(
    fc.property(
      arbitraryTrace,
      places,
      fc.nat(),
      fc.integer({ min: 1, max: 50 }),
      (trace, at, end, nuls) => {
        const bytes = encoder.encode(write(trace));
        const firstLine = bytes.indexOf(10) + 1;
        const part = bytes.subarray(0, firstLine + (end % (bytes.length - firstLine + 1)));
        const filled = new Uint8Array(part.length + nuls);
        filled.set(part);
        const cleanly = finish(new VptReader({}), [part]);
        const expected = {
          ...cleanly,
          bytes: filled.length,
          torn_bytes: cleanly.torn_bytes + nuls,
        };
        assert.deepEqual(finish(new VptReader({}), cut(filled, at)), expected);
      },
    ),
    RUNS,
  );
});

test('a mutated trace is read, or rejected with a position, the same wherever it is split', () => {
  fc.assert(
    fc.property(arbitraryTrace, mutation, places, (trace, changes, at) => {
      const bytes = mutated(encoder.encode(write(trace)), changes);
      assert.deepEqual(
        outcome(new VptReader({}), cut(bytes, at)),
        outcome(new VptReader({}), [bytes]),
      );
      outcome(new TraceInfoReader(), [bytes]);
    }),
    RUNS,
  );
});

test('a folded file adds up exactly wherever it is split, and converts to a trace with the same stacks', () => {
  fc.assert(
    fc.property(fc.array(foldedLine, { maxLength: 30 }), places, (lines, at) => {
      const text = lines.join('\n');
      const bytes = encoder.encode(text);
      const whole = outcome(new TraceInfoReader('folded'), [bytes]);
      assert.deepEqual(outcome(new TraceInfoReader('folded'), cut(bytes, at)), whole);
      if (typeof whole === 'string') {
        assert.equal(outcome(new FoldedTreeReader(), cut(bytes, at)), whole);
        return;
      }
      const { tree } = readFolded(bytes);
      assert.equal(formatDecimal(treeTotal(tree), tree.decimals), whole.weight_total);
      const vpt: string[] = [];
      finish(new FoldedConverter((line) => vpt.push(line)), cut(bytes, at));
      const converted = finish(new TraceInfoReader(), [encoder.encode(vpt.join(''))]);
      for (const key of [
        'samples',
        'weight_total',
        'weight_total_before',
        'stacks',
        'frames',
      ] as const) {
        assert.equal(converted[key], whole[key], key);
      }
    }),
    RUNS,
  );
});

test('exact weights equal those computed with bigint', () => {
  const weights = fc.array(fc.bigInt({ min: -(10n ** 35n), max: 10n ** 35n }), {
    minLength: 1,
    maxLength: 20,
  });
  fc.assert(
    fc.property(weights, fc.integer({ min: 0, max: 12 }), (values, decimals) => {
      const text = values
        .map((value, i) => `r;f${i % 3} ${formatDecimal(value, decimals)}\n`)
        .join('');
      const { tree } = readFolded(text);
      const sum = values.reduce((total, value) => total + value, 0n);
      assert.equal(formatDecimal(treeTotal(tree), tree.decimals), formatDecimal(sum, decimals));
    }),
    RUNS,
  );
});

test('a note that is inserted into a trace of any length is read, and nothing else changes', async () => {
  const added = { type: 'note', t: 7.5, id: 'a new id that no trace has', text: 'here' } as const;
  await fc.assert(
    fc.asyncProperty(arbitraryTrace, fc.nat(), fc.nat({ max: 3 }), async (trace, place, nuls) => {
      const whole = encoder.encode(write(trace));
      const header = whole.indexOf(10) + 1;
      const length = header + (place % (whole.length - header + 1));
      const bytes = Buffer.concat([whole.subarray(0, length), new Uint8Array(nuls)]);
      const before = readVpt(bytes);
      const read = async (from: number, to: number) => bytes.subarray(from, to);
      const found = await findNotePlace(read, bytes.length, before.torn_bytes);
      const lines = encoder.encode(found.before + formatNotes([added]));
      const noted = Buffer.concat([bytes.subarray(0, found.at), lines, bytes.subarray(found.at)]);
      const after = readVpt(noted);
      assert.deepEqual(after.end, before.end);
      assert.equal(after.torn_bytes, before.torn_bytes);
      const others = after.lines.filter((line) => line.type !== 'note' || line.id !== added.id);
      assert.deepEqual(others, before.lines);
      assert.equal(after.lines.length, before.lines.length + 1);
      const { notes } = modelOf(noted.toString('utf8').replaceAll('\0', ''));
      assert.deepEqual(
        notes.find(({ id }) => id === added.id),
        added,
      );
    }),
    RUNS,
  );
});
