// The asset cost report from bytes, from records and from a model equals a plain implementation. FC_SEED=number repeats a run.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type AssetReport,
  AssetReportSink,
  assetReportOfModel,
  formatHeader,
  formatRecord,
  type Header,
  type KnownRecord,
  readVpt,
  TraceModelBuilder,
  VptReader,
} from '../src/index.ts';
import { type PlainAsset, plainAssetReport } from './plain-asset-report.ts';

const SEED = Number(process.env['FC_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const RUNS = { numRuns: 1000, seed: SEED };
console.log(`asset reports: FC_SEED=${SEED}`);

const BUDGET = 10;
const t = fc.nat({ max: 4_000 }).map((eighths) => eighths / 8);
const ms = fc.nat({ max: 400 }).map((eighths) => eighths / 8);
const source = fc.constantFrom('native' as const, 'browser' as const);
const name = fc.constantFrom('rock', 'Stein ü', 'a"b', '\u{1F600}', '\uFFFD', 'z', '');

const asset = fc
  .record(
    {
      t,
      id: fc.oneof(fc.nat({ max: 3 }), fc.constantFrom('1', '2', 'ü', 'a\\b')),
      name,
      kind: fc.constantFrom('texture' as const, 'audio' as const, 'data' as const),
      phase: fc.constantFrom('load', 'decode', 'upload', 'compile', 'read', 'named'),
      source,
      bytes: fc.nat(),
      encoded_bytes: fc.nat(),
      gpu_bytes: fc.nat(),
      duration_ms: ms,
      main_thread_ms: ms,
      read_bytes: fc.nat(),
      count: fc.nat({ max: 900 }),
      opaque: fc.boolean(),
      mapped: fc.boolean(),
      dims: fc.array(fc.nat({ max: 9_000 }), { maxLength: 3 }),
      format: fc.constantFrom('RGBA8', 'BC7'),
    },
    { requiredKeys: ['t', 'id', 'name', 'kind', 'phase', 'source'] },
  )
  .map((fields) => ({ type: 'asset', ...fields }) as unknown as KnownRecord);
const release = fc
  .record(
    {
      t,
      id: fc.oneof(fc.nat({ max: 3 }), fc.constantFrom('1', '2', 'ü', 'a\\b')),
      source,
      bytes: fc.nat(),
      gpu_bytes: fc.nat(),
      count: fc.nat(),
    },
    { requiredKeys: ['t', 'id', 'source'] },
  )
  .map((fields) => ({ type: 'release', ...fields }) as unknown as KnownRecord);
const frames = fc
  .tuple(t, fc.array(ms, { maxLength: 8 }), source)
  .map(
    ([at, duration_ms, from]) => ({ type: 'frames', t: at, duration_ms, source: from }) as const,
  );
const loss = fc
  .tuple(t, ms, fc.option(source, { nil: undefined }))
  .map(([at, duration_ms, from]): KnownRecord => {
    const record = { type: 'loss', t: at, reason: 'hidden_tab', duration_ms } as const;
    return from === undefined ? record : { ...record, source: from };
  });
const records: fc.Arbitrary<KnownRecord[]> = fc
  .array(
    fc.oneof({ weight: 6, arbitrary: asset }, { weight: 3, arbitrary: frames }, loss, release),
    {
      maxLength: 14,
    },
  )
  .map(oneAfterTheOther);

/** Frames of one source do not overlap: a record that would start within an earlier one starts at its end. */
function oneAfterTheOther(all: readonly KnownRecord[]): KnownRecord[] {
  const ends = new Map<string | undefined, number>();
  return all.map((record) => {
    if (record.type !== 'frames') return record;
    const at = Math.max(record.t, ends.get(record.source) ?? 0);
    ends.set(
      record.source,
      record.duration_ms.reduce((sum, one) => sum + one, at),
    );
    return { ...record, t: at };
  });
}

const HEADER: Header = {
  vpt: 1,
  producer: { name: 't', version: '0' },
  started_at: null,
  sources: ['native', 'browser'],
};

/** The bytes of a trace whose lines the reader all reads by the fast path, or all by the parser. */
function bytesOf(all: readonly KnownRecord[], way: 'short' | 'long'): Uint8Array {
  const lines = all.map((record) => (way === 'long' ? ' ' : '') + formatRecord(record));
  return new TextEncoder().encode(formatHeader(HEADER) + lines.join(''));
}

function reportOf(bytes: Uint8Array, most?: number): AssetReport {
  const sink = new AssetReportSink(BUDGET);
  const reader = new VptReader(sink);
  reader.push(bytes);
  reader.finish();
  return sink.report(most);
}

function modelReport(bytes: Uint8Array): AssetReport {
  const builder = new TraceModelBuilder();
  const reader = new VptReader(builder);
  reader.push(bytes);
  reader.finish();
  return assetReportOfModel(builder.snapshot(), BUDGET);
}

const SUMS = ['load_ms', 'decode_ms', 'upload_ms', 'main_thread_ms', 'hitch_ms', 'cost'] as const;

function assertSame(asset: AssetReport['assets'][number], plain: PlainAsset | undefined): void {
  assert.ok(plain !== undefined);
  const { advice: _, share: __, ...reported } = asset;
  const rough = Object.fromEntries(SUMS.map((key) => [key, null]));
  assert.deepEqual({ ...reported, ...rough }, { ...plain, ...rough });
  for (const key of SUMS) {
    const expected = plain[key];
    if (expected === null) assert.equal(reported[key], null, key);
    else
      assert.ok(Math.abs((reported[key] ?? Number.NaN) - expected) < 0.002, `${key} ${expected}`);
  }
}

test('the asset cost report from bytes equals a plain implementation, by every fast path', () => {
  fc.assert(
    fc.property(records, (all) => {
      const bytes = bytesOf(all, 'short');
      const report = reportOf(bytes);
      assert.deepEqual(report, reportOf(bytesOf(all, 'long')));
      const plain = plainAssetReport(HEADER, readVpt(bytes).lines, BUDGET);
      assert.equal(report.assets.length, plain.length);
      for (const one of report.assets) {
        assertSame(
          one,
          plain.find(({ id, source: from }) => id === one.id && from === one.source),
        );
      }
      const modelled = modelReport(bytes);
      assert.equal(modelled.assets.length, plain.length);
      for (const one of modelled.assets) {
        assertSame(
          one,
          plain.find(({ id, source: from }) => id === one.id && from === one.source),
        );
      }
    }),
    RUNS,
  );
});

test('a limited report lists the first assets of the order, and has the totals of all', () => {
  fc.assert(
    fc.property(records, fc.nat({ max: 6 }), (all, most) => {
      const bytes = bytesOf(all, 'short');
      const whole = reportOf(bytes);
      const some = reportOf(bytes, most);
      assert.deepEqual(some.assets, whole.assets.slice(0, most));
      assert.equal(some.left_out, Math.max(0, whole.assets.length - most));
      assert.deepEqual(some.totals, whole.totals);
      assert.equal(whole.left_out, 0);
      assert.equal(whole.totals.assets, whole.assets.length);
      const cost = whole.assets.reduce((sum, one) => sum + one.cost, 0);
      assert.ok(Math.abs(whole.totals.cost - cost) < 1e-3);
      const sizes = whole.assets.flatMap((one) => one.bytes ?? []);
      const sum = sizes.reduce((total, size) => total + size, 0);
      assert.equal(whole.totals.bytes, sizes.length === 0 ? null : sum);
    }),
    RUNS,
  );
});
