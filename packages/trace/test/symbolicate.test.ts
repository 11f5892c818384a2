// The names and places of functions are replaced in a trace; every other byte stays.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type FindOriginal,
  type FunctionRecord,
  functionsIn,
  nameOriginal,
  parseFunction,
  parseFunctionRecord,
  parseNamedPosition,
  readVpt,
  type StacksRecord,
  symbolicateRecord,
  TraceLines,
} from '@svc/trace';

const HEADER =
  '{"vpt":1,"producer":{"name":"x","version":"1"},"started_at":null,"sources":["import"]}\n';
const STACKS =
  '{"type":"stacks","t":1e3,"extra":{"a":[1]},"first_name":0,"names":["main thread","t main.js:1:11","wasm-function[7] game.wasm"],"places":["","http://h/main.js:1:11","http://h/game.wasm:1:94"],"first_node":0,"parents":[-1,0,0],"node_names":[0,1,2],"samples":{"node":[1],"weight":[5]},"unit":"ms"}\n';
const TASK =
  '{"type":"longtask","t":0,"duration_ms":80,"scripts":[{"name":"t main.js:1:11","duration_ms":70,"x":1},{"name":"frame game.js:12","duration_ms":1}]}\n';
const OTHER = '{"type":"odd","t":0, "b":[1e0] }\n{"type":"mark","t":1.0,"name":"t main.js:1:11"}\n';

const find: FindOriginal = ({ url, wasmIndex }) => {
  if (wasmIndex === 7) return { name: 'physics_step', source: null };
  if (!url.endsWith('main.js')) return undefined;
  return { name: 'update', source: { path: 'src/game.ts', line: 12, column: 3 } };
};

function symbolicate(text: string | Uint8Array, step = 1 << 20): { out: string; torn: number } {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const lines = new TraceLines();
  const parts: Uint8Array[] = [];
  const write = (): void => {
    for (const line of lines.take()) {
      const replaced = line.hasFunctions
        ? symbolicateRecord(parseFunctionRecord(line), find)
        : null;
      parts.push(replaced === null ? line.bytes : Buffer.from(replaced));
    }
  };
  for (let from = 0; from < bytes.length; from += step) {
    lines.push(bytes.subarray(from, from + step));
    write();
  }
  const { torn_bytes } = lines.finish();
  write();
  return { out: Buffer.concat(parts).toString(), torn: torn_bytes };
}

test('names and places are replaced, and every other line and key stays as it is', () => {
  const text = `${HEADER}${OTHER}${STACKS}${TASK}{"type":"end","t":2,"reason":"off"}\n`;
  const expected = text
    .replace('"t":1e3', '"t":1000')
    .replace('"t main.js:1:11","wasm', '"update game.ts:12","wasm')
    .replace(
      '{"name":"t main.js:1:11","duration_ms":70',
      '{"name":"update game.ts:12","duration_ms":70',
    )
    .replace('wasm-function[7] game.wasm', 'physics_step game.wasm')
    .replace('http://h/main.js:1:11', 'src/game.ts:12:3');
  for (const step of [1, 7, 4096]) assert.equal(symbolicate(text, step).out, expected);
  readVpt(expected);
  assert.equal(symbolicate(expected).out, expected);
});

test('a partial trace stays partial, and a torn line stays torn', () => {
  for (const rest of [
    '',
    '{"type":"stacks","t":0,"first_na',
    '{"type":"mark","t":0,"name":"\u00e9',
  ]) {
    const text = `${HEADER}${TASK}${rest}`;
    const { out, torn } = symbolicate(text);
    assert.equal(out, text.replace('t main.js:1:11', 'update game.ts:12'));
    assert.equal(torn, Buffer.byteLength(rest));
  }
  const zeros = symbolicate(Buffer.concat([Buffer.from(HEADER + OTHER), Buffer.alloc(100)]));
  assert.deepEqual(zeros, { out: HEADER + OTHER, torn: 100 });
  const withoutLf = symbolicate(HEADER + TASK.trimEnd());
  assert.equal(readVpt(withoutLf.out).records, 1);
});

test('a fault of the trace is reported', () => {
  assert.throws(() => symbolicate(`${HEADER}${STACKS}${STACKS}`), { code: 'id_order' });
  assert.throws(() => symbolicate('x\n'), { code: 'not_a_trace' });
});

test('a record that becomes too long for a line is written as several, with the same stacks', () => {
  const count = 9000;
  const record: StacksRecord = {
    type: 'stacks',
    t: 3,
    duration_ms: 5,
    first_name: 0,
    names: Array.from({ length: count }, (_, i) => `t m.js:1:${i + 1}`),
    places: Array.from({ length: count }, (_, i) => `http://h/m.js:1:${i + 1}`),
    first_node: 0,
    parents: Array.from({ length: count }, (_, i) => i - 1),
    node_names: Array.from({ length: count }, (_, i) => i),
    samples: { node: [count - 1], weight: [7], at_ms: [1] },
    unit: 'ms',
    scale: 1000,
  };
  const text = symbolicateRecord(record, ({ column }) => ({
    name: `${'long'.repeat(40)}${column}`,
    source: { path: 'src/a.ts', line: 2, column },
  }));
  const { lines } = readVpt(HEADER + text);
  assert.ok(lines.length > 1);
  const stacks = lines.filter((one) => one.type === 'stacks');
  assert.equal(stacks.length, lines.length);
  const names = stacks.flatMap((one) => one.names);
  assert.equal(names.length, count);
  assert.equal(names[8000], `${'long'.repeat(40)}8001 a.ts:2:8001`);
  assert.equal(stacks.flatMap((one) => one.places ?? [])[8000], 'src/a.ts:2:8001');
  const last = stacks.at(-1);
  assert.deepEqual(last?.samples, record.samples);
  assert.deepEqual(last?.node_names, record.node_names);
  assert.equal(stacks.filter((one) => one.duration_ms !== undefined).length, 1);
});

test('parseFunction separates the own name from the position that follows it', () => {
  for (const [name, place, own] of [
    ['t main.js:1:11', 'http://h/main.js:1:11', 't'],
    ['get x main.js:12', 'http://h/main.js:12:3', 'get x'],
    ['(anonymous) h:1:5', 'http://h/:1:5', '(anonymous)'],
    ['other form', 'http://h/main.js:12:3', 'other form'],
  ] as const) {
    assert.equal(parseFunction({ name, place })?.own, own);
  }
  const wasm = parseFunction({ name: 'wasm-function[7] g.wasm', place: 'http://h/g.wasm:1:94' });
  assert.deepEqual([wasm?.wasmIndex, wasm?.column, wasm?.own], [7, 94, 'wasm-function[7]']);
  for (const [name, place] of [
    ['(program)', ''],
    ['x', 'http://h/main.js'],
    ['x', 'http://h/main.js:0:1'],
    ['x', ':1:1'],
    ['update g.wasm', 'http://h/g.wasm:1:94'],
  ] as const) {
    assert.equal(parseFunction({ name, place }), null, place);
  }
  assert.equal(parseNamedPosition('frame game.js:12'), null);
  assert.equal(parseNamedPosition('http://h/main.js'), null);
  assert.equal(parseNamedPosition('get x main.js:1:40')?.own, 'get x');
});

test('a name of the source has the form of a profile', () => {
  const traced = parseFunction({ name: 't main.js:1:11', place: 'http://h/main.js:1:11' });
  assert.ok(traced);
  const written = { name: '', place: '' };
  const source = { path: 'src/game.ts', line: 1, column: 9 };
  assert.deepEqual(nameOriginal(traced, written, { name: 'update', source }), {
    name: 'update game.ts:1:9',
    place: 'src/game.ts:1:9',
  });
});

test('functionsIn lists the functions with a position', () => {
  const records: FunctionRecord[] = [JSON.parse(STACKS), JSON.parse(TASK)];
  assert.deepEqual(
    records.map((record) => functionsIn(record).map(({ own, url }) => `${own} ${url}`)),
    [['t http://h/main.js', 'wasm-function[7] http://h/game.wasm'], ['t main.js']],
  );
});
