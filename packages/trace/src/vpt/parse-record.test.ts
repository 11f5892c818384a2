// The fields of every record type in docs/vpt.md: the values that each accepts and rejects, by every fast path.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Source } from '../format/records.ts';
import { readVpt } from './read-vpt.ts';

const MOST_MS = 9_007_199_254_740;
const MOST = 9_007_199_254_740_991;

/** The values that a kind of field accepts and rejects, as JSON. */
type Kind = { readonly accepts: readonly string[]; readonly rejects: readonly string[] };

const amount: Kind = {
  accepts: ['0', '0.0005', '1e3', `${MOST_MS}`],
  rejects: ['-0.5', `${MOST_MS}.5`, '1e400', '"1"', 'null', 'true', '[1]'],
};
const count: Kind = {
  accepts: ['0', '7', `${MOST}`],
  rejects: ['-1', '0.5', '9007199254740992', '"1"', 'null', 'true', '[1]'],
};
const number: Kind = {
  accepts: ['-1.5', '0', '1.7e308', '-1.7e308'],
  rejects: ['1e400', '-1e400', '"1"', 'null'],
};
const truth: Kind = { accepts: ['true', 'false'], rejects: ['1', '0', '"true"', 'null'] };
const text: Kind = {
  accepts: ['""', '"a\\u0000é"', JSON.stringify('€'.repeat(21_845)), `"${'a'.repeat(65_536)}"`],
  rejects: ['5', 'null', 'true', '["a"]', '"\\ud800"'],
};
const word: Kind = { accepts: ['"off"', '"In two words"'], rejects: ['""', '5', 'null'] };
const id: Kind = {
  accepts: [...count.accepts, ...text.accepts],
  rejects: ['-1', '0.5', 'null', 'true'],
};
const choice = (all: string): Kind => ({
  accepts: all.split(' ').map((one) => `"${one}"`),
  rejects: ['"Load"', '""', '0', 'null', `["${all.split(' ')[0]}"]`],
});
const column = (of: Kind, more: readonly string[] = []): Kind => ({
  accepts: ['[]', ...of.accepts.map((one) => `[${one},${one}]`)],
  rejects: ['{}', '"[]"', '1', 'null', ...[...of.rejects, ...more].map((one) => `[${one}]`)],
});
/** A column of one entry, so that it is as long as its neighbours. */
const entry = (of: Kind): Kind => ({
  accepts: of.accepts.map((one) => `[${one}]`),
  rejects: of.rejects.map((one) => `[${one}]`),
});
const orNull = ({ accepts, rejects }: Kind): Kind => ({
  accepts: [...accepts, 'null'],
  rejects: rejects.filter((one) => one !== 'null'),
});
const only = (...accepts: string[]): Kind => ({ accepts, rejects: ['-1', '0.5', '"0"', 'null'] });

const DIGITS = '9'.repeat(200);
const weight: Kind = {
  accepts: ['-5', '0', `-${MOST}`, '"0"', '"-7"', `"${DIGITS}"`, `"-${DIGITS}"`],
  rejects: [
    '0.5',
    '9007199254740992',
    '"01"',
    '"+1"',
    '"1.0"',
    '"1e3"',
    '""',
    '" 1"',
    `"${DIGITS}9"`,
  ],
};
const scale: Kind = {
  accepts: ['1', '10', '1e15', '"1"', `"1${'0'.repeat(100)}"`],
  rejects: ['0', '-10', '20', '1.5', '1e16', '""', '"01"', `"1${'0'.repeat(101)}"`, '[10]', 'null'],
};

/** The fields of each type. Those with `?` are optional. The default record has the first accepted value of each required field. */
const TYPES: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  process: {
    'cpu_percent?': amount,
    rss_bytes: count,
    'pss_bytes?': count,
    'pss_age_ms?': amount,
    'pss_cost_ms?': amount,
    'threads?': count,
  },
  frames: {
    duration_ms: entry(amount),
    'draws?': entry(orNull(count)),
    'triangles?': entry(orNull(count)),
    'gpu_ms?': entry(orNull(amount)),
    'main_ms?': entry(orNull(amount)),
  },
  longtask: {
    duration_ms: amount,
    'blocking_ms?': amount,
    'scripts?': {
      accepts: ['[]', '[{"name":"a","duration_ms":1.5},{"duration_ms":0,"name":"","x":1}]'],
      rejects: ['{}', 'null', '[1]', '[[]]', '[{"name":"a"}]', '[{"duration_ms":1}]'],
    },
  },
  asset: {
    id,
    name: text,
    kind: choice('texture mesh audio shader script data video font other'),
    phase: choice('load decode upload compile read named'),
    'bytes?': count,
    'encoded_bytes?': count,
    'transfer_bytes?': count,
    'cached?': truth,
    'opaque?': truth,
    'gpu_bytes?': count,
    'duration_ms?': amount,
    'main_thread_ms?': amount,
    'dims?': column(count),
    'format?': text,
    'count?': count,
    'read_bytes?': count,
    'mapped?': truth,
  },
  stacks: {
    'duration_ms?': amount,
    first_name: only('0'),
    names: entry(text),
    first_node: only('0'),
    parents: only('[-1]'),
    node_names: only('[0]'),
    'categories?': entry(text),
    samples: {
      accepts: [
        '{"node":[],"weight":[]}',
        ...weight.accepts.map((one) => `{"node":[0],"weight":[${one}],"before":[${one}]}`),
      ],
      rejects: [
        'null',
        '[]',
        '{"node":[]}',
        '{"weight":[]}',
        '{"node":[-1],"weight":[1]}',
        '{"node":[],"weight":[],"before":null}',
        ...weight.rejects.map((one) => `{"node":[0],"weight":[${one}]}`),
        ...weight.rejects.map((one) => `{"node":[0],"weight":[1],"before":[${one}]}`),
      ],
    },
    unit: text,
    'scale?': scale,
  },
  span: { duration_ms: amount, name: text, 'track?': text },
  mark: { name: text },
  counter: { name: text, unit: text, value: number },
  log: { level: text, text },
  loss: { reason: word, 'count?': count, 'duration_ms?': amount, 'probe?': text },
  end: { reason: word },
  later_type: {},
};

const headerOf = (...sources: string[]): string =>
  JSON.stringify({ vpt: 1, producer: { name: 'x', version: '1' }, started_at: null, sources });

const HEADER = headerOf('native');

/** Reads a line with these fields by the fast paths and by the parser. */
function linesOf(fields: ReadonlyMap<string, string>): readonly string[] {
  const line = `{${[...fields].map(([key, value]) => `"${key}":${value}`).join()}}`;
  return [line, ` ${line}`];
}

/** The default record of a type, or with another value of one field; `null` omits the field. */
function fieldsOf(type: string, key = '', value: string | null = null): Map<string, string> {
  const fields = new Map([
    ['type', `"${type}"`],
    ['t', '5'],
  ]);
  for (const [row, kind] of Object.entries(TYPES[type] ?? {})) {
    if (!row.endsWith('?')) fields.set(row, kind.accepts[0] ?? '');
  }
  if (value !== null) fields.set(key, value);
  else fields.delete(key);
  return fields;
}

function reads(fields: ReadonlyMap<string, string>, header = HEADER): void {
  for (const line of linesOf(fields)) {
    const { lines } = readVpt(`${header}\n${line}\n`);
    const [record] = lines;
    const value: unknown = record?.type === 'unknown' ? record.fields : record;
    assert.deepEqual(value, JSON.parse(line), line.slice(0, 200));
  }
}

function assertRejected(fields: ReadonlyMap<string, string>, code: string, message: RegExp): void {
  for (const line of linesOf(fields)) {
    assert.throws(() => readVpt(`${HEADER}\n${line}\n`), { code, message }, line.slice(0, 200));
  }
}

for (const [type, rows] of Object.entries(TYPES)) {
  test(`a record of ${type} rejects invalid values of each field`, () => {
    reads(fieldsOf(type));
    reads(fieldsOf(type, 'x', '[null,{"y":1}]'));
    for (const [row, { accepts, rejects: wrong }] of Object.entries(rows)) {
      const key = row.replace('?', '');
      for (const value of accepts) reads(fieldsOf(type, key, value));
      for (const value of wrong) {
        assertRejected(
          fieldsOf(type, key, value),
          'invalid_record',
          new RegExp(`^Cannot read line 2: "${key}[[." ]`),
        );
      }
      if (key === row)
        assertRejected(fieldsOf(type, key), 'invalid_record', new RegExp(`: it has no "${key}"$`));
      else reads(fieldsOf(type, key));
    }
  });
}

test('the time of a record must be in range and have at most three decimals', () => {
  for (const type of Object.keys(TYPES)) {
    for (const t of ['0', '0.001', '1234567.891', '1e3', `${MOST_MS}`])
      reads(fieldsOf(type, 't', t));
    for (const t of ['-0.001', '0.0001', `${MOST_MS}.001`, '1e400', '"1"', 'null', '[1]']) {
      assertRejected(fieldsOf(type, 't', t), 'invalid_record', /: "t" must /);
    }
    assertRejected(fieldsOf(type, 't'), 'invalid_record', /: it has no "t"$/);
  }
});

test('a record may have a source of the header, and must if the header has several', () => {
  const two = headerOf('native', 'browser');
  for (const type of Object.keys(TYPES)) {
    reads(fieldsOf(type, 'source', '"native"'));
    reads(fieldsOf(type, 'source', '"browser"'), two);
    for (const source of ['"browser"', '"import"', '"Native"', 'null', '0', '["native"]']) {
      assertRejected(
        fieldsOf(type, 'source', source),
        'invalid_record',
        /: "source" must be one of: native$/,
      );
    }
    if (type === 'end' || type === 'loss') reads(fieldsOf(type), two);
    else {
      for (const line of linesOf(fieldsOf(type))) {
        assert.throws(() => readVpt(`${two}\n${line}\n`), {
          code: 'invalid_record',
          message: 'Cannot read line 2: it has no "source", and the header names more than one',
        });
      }
    }
  }
});

test('a record of an unknown type is returned with its time, its source and all its fields', () => {
  const line = '{"source":"browser","type":"x.Y:z-1_","t":2.5,"__proto__":{"t":1},"name":5}';
  const [record] = readVpt(`${headerOf('native', 'browser')}\n${line}\n`).lines;
  assert.deepEqual(record, {
    type: 'unknown',
    t: 2.5,
    source: 'browser' satisfies Source,
    fields: JSON.parse(line),
  });
  const [bare] = readVpt(`${HEADER}\n{"type":"constructor","t":1}\n`).lines;
  assert.deepEqual(bare, { type: 'unknown', t: 1, fields: { type: 'constructor', t: 1 } });
});

test('a type is a lower-case word, and a type with a capital is rejected', () => {
  for (const type of ['a', 'a2', 'toString', 'a.b', 'a:b', 'a-b', 'a_B']) reads(fieldsOf(type));
  for (const type of ['', '2d', '_a', '-a', 'a b', 'a/b', 'aé', 'éa', ' mark', 'mark\\n']) {
    assertRejected(fieldsOf(type), 'invalid_record', /: "type" must be a lower-case word$/);
  }
  for (const type of ['Gpu', 'G', 'Mark two']) {
    assertRejected(fieldsOf(type), 'unsupported_version', /: "type" "[GM].*reads version 1 /);
  }
  const unnamed = new Map([['t', '1']]);
  assertRejected(unnamed, 'invalid_record', /: it has no "type"$/);
  assertRejected(fieldsOf('mark', 'type', 'null'), 'invalid_record', /: it has no "type"$/);
});

test('a name of more than 65,536 bytes is rejected, however it is escaped', () => {
  for (const [type, rows] of Object.entries(TYPES)) {
    for (const [row, kind] of Object.entries(rows)) {
      if (kind !== text && kind !== id && kind !== word) continue;
      const key = row.replace('?', '');
      for (const value of ['a'.repeat(65_537), '€'.repeat(21_846), `${'😀'.repeat(16_384)}a`]) {
        assertRejected(
          fieldsOf(type, key, JSON.stringify(value)),
          'name_too_long',
          new RegExp(`: "${key}" is longer than 65536 bytes$`),
        );
      }
      // Only the escaped form exceeds the limit.
      reads(fieldsOf(type, key, `"${'\\n'.repeat(40_000)}"`));
      reads(fieldsOf(type, key, `"${'\\u0061'.repeat(65_536)}"`));
    }
  }
});

test('a record whose columns have different lengths is rejected', () => {
  const stacks = (parents: string, names: string, more: string, samples: string): string =>
    `{"type":"stacks","t":0,"first_name":0,"names":["a"],"first_node":0,"parents":${parents},"node_names":${names}${more},"samples":${samples},"unit":"u"}`;
  const none = '{"node":[],"weight":[]}';
  const rows: readonly (readonly [line: string, key: string])[] = [
    ...['draws', 'triangles', 'gpu_ms', 'main_ms'].flatMap((key) =>
      ['[]', '[1]', '[1,null,2]'].map(
        (values) =>
          [`{"type":"frames","t":1,"duration_ms":[1,2],"${key}":${values}}`, key] as const,
      ),
    ),
    [stacks('[-1,0]', '[0]', '', none), 'node_names'],
    [stacks('[-1]', '[0,0]', '', none), 'node_names'],
    [stacks('[-1]', '[0]', ',"categories":[]', none), 'categories'],
    [stacks('[-1]', '[0]', ',"categories":["",""]', none), 'categories'],
    [stacks('[-1]', '[0]', '', '{"node":[0],"weight":[]}'), 'samples.weight'],
    [stacks('[-1]', '[0]', '', '{"node":[],"weight":[1]}'), 'samples.weight'],
    [stacks('[-1]', '[0]', '', '{"node":[0],"weight":[1],"before":[]}'), 'samples.before'],
    [stacks('[-1]', '[0]', '', '{"node":[0],"weight":[1],"before":[1,2]}'), 'samples.before'],
  ];
  for (const [line, key] of rows) {
    for (const blank of ['', ' ']) {
      assert.throws(
        () => readVpt(`${HEADER}\n${blank}${line}\n`),
        { code: 'column_length', message: new RegExp(`: "${key}" has `) },
        line,
      );
    }
  }
});

test('each source has its own tables of frames and nodes', () => {
  const stacks = (source: string, from: readonly [number, number], parent: number): string =>
    JSON.stringify({
      type: 'stacks',
      t: 0,
      source,
      first_name: from[0],
      names: ['a', 'b'],
      first_node: from[1],
      parents: [parent],
      node_names: [from[0] + 1],
      samples: { node: [from[1]], weight: [1] },
      unit: 'samples',
    });
  const read = (...lines: string[]): number =>
    readVpt(`${[headerOf('native', 'browser'), ...lines].join('\n')}\n`).records;
  const first = [stacks('native', [0, 0], -1), stacks('browser', [0, 0], -1)];
  assert.equal(read(...first, stacks('native', [2, 1], 0), stacks('native', [4, 2], 1)), 4);
  assert.throws(() => read(...first, stacks('browser', [2, 1], 1)), { code: 'undefined_id' });
  assert.throws(() => read(...first, stacks('browser', [2, 0], -1)), { code: 'id_order' });
  assert.throws(() => read(...first, stacks('native', [0, 1], -1)), { code: 'id_order' });
  assert.throws(() => read(...first, stacks('native', [2, 1], 0), stacks('browser', [4, 2], 0)), {
    code: 'id_order',
    line: 5,
  });
});

const INSTANTS: Kind = {
  accepts: [
    'null',
    '"2026-03-01T10:00:00Z"',
    '"2026-03-01T10:00:00.1Z"',
    '"2026-03-01T10:00:00.123456789Z"',
    '"2026-03-01T10:00:00+02:00"',
    '"2026-03-01T10:00:00-02:30"',
  ],
  rejects: [
    '5',
    '""',
    '"2026-03-01"',
    '"2026-03-01T10:00Z"',
    '"2026-03-01T10:00:00"',
    '"2026-03-01T10:00:00z"',
    '"2026-03-01 10:00:00Z"',
    '"2026-03-01T10:00:00.Z"',
    '"2026-03-01T10:00:00.1234567890Z"',
    '"2026-03-01T10:00:00+0200"',
    '"2026-03-01T25:00:00Z"',
    '"2026-00-01T10:00:00Z"',
    '" 2026-03-01T10:00:00Z"',
    '"2026-03-01T10:00:00Z "',
  ],
};

/** The values that each field of the header accepts and rejects. */
const HEADER_FIELDS: Readonly<Record<string, Kind>> = {
  vpt: { accepts: ['1', '1.0'], rejects: ['0', '-1', '0.5', '1.5', '1e400', '"1"', 'null', '[1]'] },
  producer: {
    accepts: ['{"name":"","version":"","x":1}'],
    rejects: [
      'null',
      '"x"',
      '[]',
      '{"name":"x"}',
      '{"version":"1"}',
      '{"name":"x","version":1}',
      '{"name":5,"version":""}',
    ],
  },
  started_at: INSTANTS,
  sources: {
    accepts: ['["native"]', '["import"]', '["browser","native"]', '["native","browser","import"]'],
    rejects: [
      '[]',
      '"native"',
      'null',
      '{"0":"native"}',
      '["native","native"]',
      '["browser","native","browser"]',
      '["Native"]',
      '[null]',
    ],
  },
  target: {
    accepts: INSTANTS.accepts.map((one) => `{"pid":0,"name":"a","started_at":${one}}`),
    rejects: [
      'null',
      '[]',
      '{"pid":-1,"name":"a","started_at":null}',
      '{"pid":1.5,"name":"a","started_at":null}',
      '{"pid":1,"name":null,"started_at":null}',
      '{"pid":1,"name":"a"}',
      '{"pid":1,"started_at":null}',
      '{"name":"a","started_at":null}',
      '{"pid":1,"name":"a","started_at":"2026-03-01"}',
    ],
  },
  gpu: {
    accepts: ['{"name":"llvmpipe","software":true}', '{"name":"","software":false,"driver":1}'],
    rejects: [
      'null',
      '"llvmpipe"',
      '[]',
      '{"name":"a"}',
      '{"software":true}',
      '{"name":1,"software":true}',
      '{"name":"a","software":"yes"}',
      '{"name":"a","software":1}',
    ],
  },
  machine: {
    accepts: [
      '{"cores":8}',
      '{"cores":8,"cpu":"A","max_mhz":3800,"memory_bytes":16000000000,"fans":2}',
    ],
    rejects: [
      'null',
      '8',
      '[]',
      '{}',
      '{"cores":-1}',
      '{"cores":1.5}',
      '{"cores":8,"cpu":1}',
      '{"cores":8,"max_mhz":"3800"}',
      '{"cores":8,"memory_bytes":-1}',
    ],
  },
  build: {
    accepts: ['{"digest":"sha256:00"}', '{"digest":"a","files":3}'],
    rejects: ['null', '"sha256:00"', '[]', '{}', '{"digest":""}', '{"digest":7}'],
  },
  color: { accepts: ['"blue"', 'null'], rejects: [] },
};

test('the header rejects invalid values of each field with `not_a_trace`', () => {
  const header = (key: string, value: string): string => {
    const fields = new Map(
      Object.entries(JSON.parse(HEADER)).map(([one, own]) => [one, JSON.stringify(own)]),
    );
    fields.set(key, value);
    return `{${[...fields].map(([one, own]) => `"${one}":${own}`).join()}}`;
  };
  for (const [key, { accepts, rejects: wrong }] of Object.entries(HEADER_FIELDS)) {
    for (const value of accepts) {
      const line = header(key, value);
      assert.deepEqual(readVpt(`${line}\n`).header, JSON.parse(line));
    }
    for (const value of wrong) {
      const line = header(key, value);
      const message = new RegExp(`^Cannot read line 1: "${key}[[." ]`);
      assert.throws(() => readVpt(`${line}\n`), { code: 'not_a_trace', line: 1, message }, line);
    }
    if (['color', 'target', 'gpu', 'machine', 'build'].includes(key)) continue;
    const { [key]: _, ...rest } = JSON.parse(HEADER);
    const code = 'not_a_trace';
    assert.throws(() => readVpt(JSON.stringify(rest)), { code, line: 1, column: 1 }, key);
  }
  for (const version of ['2', '9007199254740991']) {
    assert.throws(() => readVpt(header('vpt', version)), {
      code: 'unsupported_version',
      message: `Cannot read line 1: "vpt" is version ${version}, but this version of svc reads version 1`,
      line: 1,
      column: 8,
    });
  }
});
