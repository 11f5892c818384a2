// The scanner must return what the parser returns, for every line. A space before the brace makes the reader use the parser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TraceError } from '../format/errors.ts';
import { ASSET_KINDS, ASSET_PHASES, type TraceRecord } from '../format/records.ts';
import { parseHeader } from './parse-record.ts';
import { readVpt, VptReader } from './read-vpt.ts';
import { RecordScanner, SLOT } from './scan-record.ts';

const SEED = Number(process.env['FC_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const RUNS = { numRuns: 5000, seed: SEED };
console.log(`scanned records: FC_SEED=${SEED}`);

const encoder = new TextEncoder();
const headerOf = (...sources: string[]): string =>
  JSON.stringify({ vpt: 1, producer: { name: 'x', version: '1' }, started_at: null, sources });

function scannerOf(...sources: string[]): RecordScanner {
  return new RecordScanner(parseHeader(JSON.parse(headerOf(...sources))));
}

/** Whether the scanner accepts the line, followed by more bytes as in a file. */
function takes(scanner: RecordScanner, line: string): boolean {
  const bytes = encoder.encode(`{"x\n${line}\n{"type":"mark"}`);
  return scanner.read(bytes, 4, 4 + encoder.encode(line).length);
}

/** The result of reading a line after a header: its records, or its error with the column counted from the brace. */
function outcome(sources: string[], line: string): unknown {
  const blanks = line.length - line.trimStart().length;
  try {
    const { lines, torn_bytes } = readVpt(`${headerOf(...sources)}\n${line}\n`);
    return { lines, torn_bytes };
  } catch (error) {
    if (!(error instanceof TraceError)) throw error;
    return `${error.code} ${error.message} ${error.column - blanks}`;
  }
}

const digits = (most: number): fc.Arbitrary<string> =>
  fc.stringMatching(new RegExp(`^[0-9]{1,${most}}$`));
const numeral = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.nat().map(String),
  fc.tuple(digits(9), digits(12)).map(([whole, part]) => `${whole}.${part}`),
  digits(18),
  fc.constantFrom(
    '-0',
    '1e3',
    '1E-2',
    '0.',
    '.5',
    '00',
    '-5',
    '--1',
    '1e',
    '1e400',
    '9007199254740.5',
  ),
);
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }).map((value) => JSON.stringify(value)),
  fc.constantFrom(
    '"a\\nb"',
    '"\\u0041"',
    '"\\',
    '"\\x"',
    '"\\"',
    '"a\tb"',
    '"é"',
    '"\\"}"',
    'null',
  ),
);
const KEYS =
  't source id name kind phase bytes cached opaque gpu_bytes duration_ms main_thread_ms dims format count mapped cpu_percent rss_bytes threads unit value level text track blocking_ms scripts other'.split(
    ' ',
  );
const value = fc.oneof(
  numeral,
  text,
  fc.constantFrom(
    'true',
    'false',
    '[]',
    '[1,2]',
    '[1,2,3.5]',
    '{"a":1}',
    '"browser"',
    '"texture"',
    '"load"',
  ),
);
const NEEDED: Readonly<Record<string, string>> = {
  asset: '"t":5,"id":1,"name":"a","kind":"mesh","phase":"load"',
  process: '"t":5,"rss_bytes":1',
  counter: '"t":5,"name":"a","unit":"b","value":-1.5',
  log: '"t":5,"level":"info","text":"a"',
  span: '"t":5,"duration_ms":1.5,"name":"a"',
  mark: '"t":5,"name":"a"',
  longtask: '"t":5,"duration_ms":60',
};
const line = fc
  .tuple(
    fc.constantFrom(...Object.keys(NEEDED)),
    fc.boolean(),
    fc.array(fc.tuple(fc.constantFrom(...KEYS), value), { maxLength: 4 }),
    fc.constantFrom('}', '}', '}', '} ', ',}', ''),
  )
  .map(([type, whole, fields, rest]) => {
    const given = fields.map(([key, written]) => `"${key}":${written}`);
    const parts = [`"type":"${type}"`, ...(whole ? [NEEDED[type]] : []), ...given];
    return `{${parts.join()}${rest}`;
  });

test('RecordScanner and the parser agree on every line, valid or not', () => {
  fc.assert(
    fc.property(line, fc.boolean(), (written, two) => {
      const sources = two ? ['native', 'browser'] : ['browser'];
      const long = outcome(sources, ` ${written}`);
      assert.deepEqual(outcome(sources, written), long);
      if (takes(scannerOf(...sources), written)) assert.notEqual(typeof long, 'string', written);
    }),
    RUNS,
  );
});

/** Numbers, texts and words that are not JSON, or that a field rejects. */
const WRONG_NUMBERS = '01 00 -01 1. .5 1.e5 1e 1E 1e+ - -- +1 0x1 1.5.5 1-1 1e5.5 Infinity'.split(
  ' ',
);
const WRONG_TEXTS = [
  '"a\u001fb"',
  '"a\tb"',
  '"\u0000"',
  '"\\x"',
  '"\\B"',
  '"\\u12"',
  '"\\"',
  '"a',
  "'a'",
  '"a""',
];
const WRONG_WORDS = ['tru', 'truee', 'True', 'falsee', 'nul'];
const WRONG_LISTS = ['[1,]', '[,1]', '[1', '[1}', '[1 2]', '[01]', '[1.]', '[]]', '1]'];

/** Lines that look valid, but that no fast path may accept. */
function* wrongLines(): Generator<string> {
  for (const [type, fields] of Object.entries(NEEDED)) {
    const start = `{"type":"${type}",${fields}`;
    for (const end of [
      '}x',
      '}}',
      '},',
      ',}',
      ']',
      '',
      ',"t":5}',
      ',"source":"browser","source":"browser"}',
    ]) {
      yield `${start}${end}`;
    }
    for (const wrong of WRONG_NUMBERS) yield `${start.replace('"t":5', `"t":${wrong}`)}}`;
    for (const wrong of WRONG_TEXTS) {
      yield `${start},"source":${wrong}}`;
      if (start.includes('"a"')) yield `${start.replace('"a"', () => wrong)}}`;
    }
  }
  const asset = `{"type":"asset",${NEEDED['asset']}`;
  for (const wrong of WRONG_NUMBERS) {
    yield `{"type":"counter",${NEEDED['counter']?.replace('-1.5', wrong)}}`;
    yield `${asset},"bytes":${wrong}}`;
    yield `${asset},"dims":[${wrong}]}`;
    yield `{"type":"frames","t":${wrong},"duration_ms":[1]}`;
    yield `{"type":"frames","t":1,"duration_ms":[${wrong}]}`;
    yield `{"type":"frames","t":1,"duration_ms":[1],"draws":[${wrong}]}`;
  }
  for (const wrong of WRONG_TEXTS) yield `${asset},"format":${wrong}}`;
  for (const wrong of WRONG_WORDS) yield `${asset},"cached":${wrong}}`;
  for (const wrong of ['"mes"', '"meshx"', '"mesh', 'mesh"'])
    yield `${asset.replace('"mesh"', wrong)}}`;
  for (const wrong of WRONG_LISTS) {
    yield `${asset},"dims":${wrong}}`;
    yield `{"type":"frames","t":1,"duration_ms":${wrong}}`;
  }
  for (const key of ['bytes', 'opaque', 'dims', 'format', 'id', 'kind']) {
    const value = { opaque: 'true', dims: '[1]', format: '"a"', kind: '"mesh"' }[key] ?? '1';
    yield `${asset},"${key}":${value},"${key}":${value}}`;
  }
  const frames = '{"type":"frames","t":1,"duration_ms":[1]';
  for (const end of [
    '}x',
    '}}',
    ',}',
    ']',
    '',
    ',"duration_ms":[1]}',
    ',"source":"browser","source":"browser"}',
  ]) {
    yield `${frames}${end}`;
  }
  yield `${frames},"draws":[1],"draws":[1]}`;
}

test('no fast path accepts a line that is not JSON or has a duplicate key', () => {
  let lines = 0;
  for (const written of wrongLines()) {
    lines++;
    const long = outcome(['browser'], ` ${written}`);
    assert.match(String(long), /^(?:invalid_json|invalid_record|duplicate_key|nul) /, written);
    assert.deepEqual(outcome(['browser'], written), long, written);
  }
  assert.ok(lines > 300, `${lines}`);
});

const count = fc.maxSafeNat();
const amount = fc.double({ min: 0, max: 9e12, noNaN: true }).map((ms) => ms + 0);
const name = fc.string({ unit: 'grapheme', maxLength: 8 });
const asset = fc.record(
  {
    type: fc.constant('asset'),
    t: fc.nat().map((t) => t / 1000),
    id: fc.oneof(count, name),
    name,
    kind: fc.constantFrom(...ASSET_KINDS),
    phase: fc.constantFrom(...ASSET_PHASES),
    bytes: count,
    encoded_bytes: count,
    transfer_bytes: count,
    cached: fc.boolean(),
    opaque: fc.boolean(),
    gpu_bytes: count,
    duration_ms: amount,
    main_thread_ms: amount,
    dims: fc.array(count, { maxLength: 4 }),
    format: name,
    count,
    read_bytes: count,
    mapped: fc.boolean(),
  },
  { requiredKeys: ['type', 't', 'id', 'name', 'kind', 'phase'] },
);

test('RecordScanner returns the same numbers and texts as JSON.parse', () => {
  const scanner = scannerOf('browser');
  let taken = 0;
  fc.assert(
    fc.property(asset, (record) => {
      const written = JSON.stringify(record);
      if (!takes(scanner, written)) return;
      taken++;
      for (const key of [
        't',
        'bytes',
        'encoded_bytes',
        'transfer_bytes',
        'gpu_bytes',
        'duration_ms',
        'main_thread_ms',
        'count',
        'read_bytes',
      ] as const) {
        assert.equal(scanner.numberOf(SLOT[key]), record[key] ?? Number.NaN, key);
      }
      for (const key of ['cached', 'opaque', 'mapped'] as const) {
        const reported = record[key];
        assert.equal(scanner.has(SLOT[key]), reported !== undefined, key);
        assert.equal(
          scanner.numberOf(SLOT[key]),
          reported === undefined ? Number.NaN : Number(reported),
        );
      }
      assert.equal(ASSET_KINDS[scanner.numberOf(SLOT.kind)], record.kind);
      assert.equal(ASSET_PHASES[scanner.numberOf(SLOT.phase)], record.phase);
      assert.equal(scanner.end, record.t + (record.duration_ms ?? 0));
      assert.equal(scanner.textOf(SLOT.name), record.name);
      assert.equal(scanner.textOf(SLOT.format), record.format);
      if (typeof record.id === 'string') assert.equal(scanner.textOf(SLOT.id), record.id);
      else assert.equal(scanner.numberOf(SLOT.id), record.id);
      assert.equal(scanner.idIsText, typeof record.id === 'string');
      const { dims = [] } = record;
      assert.equal(scanner.has(SLOT.dims), record.dims !== undefined);
      if (scanner.has(SLOT.dims)) {
        const { dimCount, secondDim } = scanner;
        const [first = 0, second = 0] = dims;
        assert.deepEqual(
          [dimCount, scanner.numberOf(SLOT.dims), secondDim],
          [dims.length, first, second],
        );
      }
    }),
    RUNS,
  );
  assert.ok(taken > 2_000, `${taken} of 5000 went the short way`);
});

test('RecordScanner returns the source and the end of each record', () => {
  const scanner = scannerOf('native', 'browser');
  const rows: readonly (readonly [line: string, source: string, end: number])[] = [
    [`{"type":"span",${NEEDED['span']},"source":"browser"}`, 'browser', 6.5],
    [`{"type":"mark",${NEEDED['mark']},"source":"native"}`, 'native', 5],
    [`{"type":"longtask","source":"browser",${NEEDED['longtask']}}`, 'browser', 65],
    [`{"type":"process",${NEEDED['process']},"source":"native"}`, 'native', 5],
  ];
  for (const [line, source, end] of rows) {
    assert.ok(takes(scanner, line), line);
    assert.deepEqual([scanner.source, scanner.end], [source, end], line);
  }
});

test('RecordScanner keeps a byte-order mark at the start of a text', () => {
  const scanner = scannerOf('native');
  assert.ok(takes(scanner, `{"type":"asset",${NEEDED['asset']?.replace('"a"', '"\ufeffa"')}}`));
  assert.equal(scanner.textOf(SLOT.name), '\ufeffa');
});

test('RecordScanner accepts the lines that the writers produce, and a sink may still request the object', () => {
  const one = scannerOf('native');
  for (const [type, fields] of Object.entries(NEEDED)) {
    assert.ok(takes(one, `{"type":"${type}",${fields}}`), type);
    assert.ok(takes(one, `{"type":"${type}",${fields},"source":"native"}`), type);
    assert.ok(!takes(one, `{"type":"${type}",${fields},"source":"browser"}`), type);
    assert.ok(!takes(scannerOf('native', 'browser'), `{"type":"${type}",${fields}}`), type);
  }
  const records: TraceRecord[] = [];
  const scanned: string[] = [];
  const reader = new VptReader({
    record: (record) => records.push(record),
    scanned: ({ type }) => {
      scanned.push(type);
      return type === 'asset';
    },
  });
  reader.push(encoder.encode(`${headerOf('native')}\n{"type":"asset",${NEEDED['asset']}}\n`));
  reader.push(encoder.encode(`{"type":"mark","t":2,"name":"a"}\n{"type":"later","t":3}\n`));
  assert.equal(reader.finish().records, 3);
  assert.deepEqual(scanned, ['asset', 'mark']);
  assert.deepEqual(
    records.map(({ type }) => type),
    ['mark', 'unknown'],
  );
});
