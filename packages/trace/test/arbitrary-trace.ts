// Random valid traces for the property tests: headers and records of every type, with tables that grow as they must.
import fc from 'fast-check';
import {
  ASSET_KINDS,
  ASSET_PHASES,
  type Header,
  type KnownRecord,
  type StacksRecord,
} from '../src/index.ts';

const t = fc.integer({ min: 0, max: 10_000_000_000 }).map((value) => value / 1000);
const ms = fc.double({ min: 0, max: 1e6, noNaN: true }).map((value) => value + 0);
const bytes = fc.maxSafeNat();
const name = fc.string({ unit: 'grapheme', maxLength: 12 });
const word = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/);
const weight = fc.oneof(
  fc.maxSafeInteger(),
  fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).map(String),
);

/** Optional keys are absent or there, never `undefined`. */
function record<Type extends string>(
  type: Type,
  must: Record<string, fc.Arbitrary<unknown>>,
  may: Record<string, fc.Arbitrary<unknown>> = {},
): fc.Arbitrary<KnownRecord> {
  return fc
    .tuple(fc.record({ type: fc.constant(type), t, ...must }), fc.record(may, { requiredKeys: [] }))
    .map(([there, perhaps]) => ({ ...there, ...perhaps }) as unknown as KnownRecord);
}

const frames = fc.integer({ min: 0, max: 5 }).chain((length) => {
  const column = (of: fc.Arbitrary<unknown>) =>
    fc.array(of, { minLength: length, maxLength: length });
  return record(
    'frames',
    { duration_ms: column(ms) },
    { draws: column(fc.option(bytes)), gpu_ms: column(fc.option(ms)) },
  );
});

const plain = fc.oneof(
  record(
    'process',
    { rss_bytes: bytes },
    { cpu_percent: ms, pss_bytes: bytes, pss_age_ms: ms, threads: bytes },
  ),
  frames,
  record(
    'longtask',
    { duration_ms: ms },
    { scripts: fc.array(fc.record({ name, duration_ms: ms }, { noNullPrototype: true })) },
  ),
  record(
    'asset',
    {
      id: fc.oneof(bytes, name),
      name,
      kind: fc.constantFrom(...ASSET_KINDS),
      phase: fc.constantFrom(...ASSET_PHASES),
    },
    {
      bytes,
      gpu_bytes: bytes,
      duration_ms: ms,
      main_thread_ms: ms,
      cached: fc.boolean(),
      dims: fc.array(bytes),
      count: bytes,
      read_bytes: bytes,
      mapped: fc.boolean(),
    },
  ),
  record('span', { duration_ms: ms, name }, { track: name }),
  record('mark', { name }),
  record('counter', {
    name,
    unit: name,
    value: fc.double({ noNaN: true, noDefaultInfinity: true }).map((v) => v + 0),
  }),
  record('log', { level: word, text: name }),
  record('loss', { reason: word }, { count: bytes, duration_ms: ms }),
);

/** Tables are drawn as choices, then given the ids that are due. */
const stacks = fc.record({
  t,
  names: fc.array(name, { maxLength: 3 }),
  nodes: fc.array(fc.tuple(fc.nat(), fc.nat(), fc.constantFrom('', 'kernel', 'jit', 'gpu')), {
    maxLength: 5,
  }),
  samples: fc.array(fc.tuple(fc.nat(), weight), { maxLength: 5 }),
  decimals: fc.integer({ min: 0, max: 20 }),
});
type Draft = typeof stacks extends fc.Arbitrary<infer Value> ? Value : never;

function toStacks(draft: Draft, tables: { names: number; nodes: number }): StacksRecord {
  const first_name = tables.names;
  const first_node = tables.nodes;
  tables.names += draft.names.length;
  const nodes = tables.names === 0 ? [] : draft.nodes;
  tables.nodes += nodes.length;
  const samples = tables.nodes === 0 ? [] : draft.samples;
  return {
    type: 'stacks',
    t: draft.t,
    first_name,
    names: draft.names,
    first_node,
    parents: nodes.map(([parent], i) => (parent % (first_node + i + 1)) - 1),
    node_names: nodes.map(([, one]) => one % tables.names),
    categories: nodes.map(([, , category]) => category),
    samples: {
      node: samples.map(([node]) => node % tables.nodes),
      weight: samples.map(([, value]) => value),
    },
    unit: 'samples',
    scale: `1${'0'.repeat(draft.decimals)}`,
  };
}

const header: fc.Arbitrary<Header> = fc.record(
  {
    vpt: fc.constant(1 as const),
    producer: fc.record({ name, version: name }, { noNullPrototype: true }),
    started_at: fc.option(
      fc
        .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
        .map((date) => date.toISOString()),
    ),
    sources: fc.constant(['browser'] as const),
  },
  { noNullPrototype: true },
);

export type ArbitraryTrace = { readonly header: Header; readonly records: readonly KnownRecord[] };

export const arbitraryTrace: fc.Arbitrary<ArbitraryTrace> = fc
  .record({
    header,
    records: fc.array(
      fc.oneof(
        plain,
        stacks.map((draft) => ({ draft })),
      ),
      { maxLength: 12 },
    ),
    end: fc.boolean(),
  })
  .map((drawn) => {
    const tables = { names: 0, nodes: 0 };
    const records = drawn.records.map((one) =>
      'draft' in one ? toStacks(one.draft, tables) : one,
    );
    const end: KnownRecord[] = drawn.end ? [{ type: 'end', t: 1, reason: 'off' }] : [];
    return { header: drawn.header, records: [...records, ...end] };
  });

/** Lines as folded files have them, among them things that are no stack. */
export const foldedLine: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(
        fc.array(fc.stringMatching(/^[a-c é_[\]k]{0,4}$/), { minLength: 1, maxLength: 6 }),
        countText(),
      )
      .map(([frames, count]) => `${frames.join(';')} ${count}`),
  },
  fc.constantFrom('', '# comment', '// comment', 'no count', '5', 'a\u0000b 1', '  '),
  fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.replaceAll(/[\n\ufeff]/g, '')),
);

function countText(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.nat({ max: 1000 }).map(String),
    fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(String),
    fc.tuple(fc.nat(), fc.nat()).map(([whole, fraction]) => `${whole}.${fraction}`),
  );
}
