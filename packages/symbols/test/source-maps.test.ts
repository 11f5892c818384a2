// Which map belongs to a script, what a map without sources still says, and maps that are damaged or hostile.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TracedFunction } from '@svc/trace';
import { openSymbols, type SymbolReport } from '../src/index.ts';
import { filesOf, mapOf, mappingsOf, vlq } from './files-of.ts';

const SCRIPT = 'function t(){}var u=e=>1;a.forEach(e=>2);';
const SOURCE = 'function update() {}\nconst draw = (frame) => 1;\nlist.forEach((item) => 2);\n';
/** The function's name, the variable and its parameter, and the parameter of the callback. */
const SEGMENTS = [
  [9, 0, 0, 9, 0],
  [18, 0, 1, 6],
  [20, 0, 1, 14, 1],
  [27, 0, 2, 5, 3],
  [35, 0, 2, 14, 2],
];
const FIELDS = { names: ['update', 'frame', 'item', 'forEach'] };
const MAP = mapOf(SEGMENTS, { ...FIELDS, sourcesContent: [SOURCE] });

const at = (own: string, column: number, url = 'http://h/play/main.js'): TracedFunction => ({
  own,
  url,
  line: 1,
  column,
  wasmIndex: null,
});
const T = at('t', 11);
const U = at('u', 21);
const CALLBACK = at('(anonymous)', 36);

async function resolveIn(
  files: Readonly<Record<string, string>>,
  traced: TracedFunction = T,
  reads: string[] = [],
): Promise<{ name: string | null; report: SymbolReport }> {
  const symbols = await openSymbols(filesOf(files, reads));
  const original = await symbols.resolve(traced);
  const { path = '', line } = original?.source ?? {};
  return {
    name: original === undefined ? null : `${original.name} ${path}:${line}`,
    report: symbols.report(),
  };
}

test('a map is the one that the script names, else the one beside it, else the only one of its name', async () => {
  const other = mapOf([[0, 0, 40, 0]], { sources: ['other.ts'] });
  const named = (url: string): string => `${SCRIPT}\n//# sourceMappingURL=${url}\n`;
  for (const [files, path] of [
    [{ 'main.js': named('maps/m.map'), 'maps/m.map': MAP, 'main.js.map': other }, 'maps/m.map'],
    [{ 'a/main.js': named('../m%20m.map?v=1'), 'a/main.js.map': other, 'm m.map': MAP }, 'm m.map'],
    [{ 'main.js': SCRIPT, 'main.js.map': MAP, 'x/main.js.map': other }, 'main.js.map'],
    [{ 'js/main.js': SCRIPT, 'maps/main.js.map': MAP }, 'maps/main.js.map'],
    [{ 'dist/main.js.map': MAP }, 'dist/main.js.map'],
    [{ 'main.js': named('https://maps.example/main.js.map'), 'main.js.map': MAP }, 'main.js.map'],
    [{ 'main.js': named(`data:application/json;base64,${btoa(MAP)}`) }, 'main.js'],
    [{ 'main.js': named(`data:application/json,${encodeURIComponent(MAP)}`) }, 'main.js'],
    [{ 'main.js': SCRIPT, 'main.js.map': `)]}'\n${MAP}` }, 'main.js.map'],
  ] as const) {
    const { name, report } = await resolveIn(files);
    assert.equal(name, 'update src/game.ts:1', path);
    assert.deepEqual([report.maps, report.warnings], [[path], []]);
  }
});

test('a map outside of the files is not read, and the script is reported', async () => {
  for (const url of [
    '../main.js.map',
    '../../etc/passwd',
    '/etc/passwd',
    'http://h/x.map?token=1',
  ]) {
    const reads: string[] = [];
    const script = `${SCRIPT}\n//# sourceMappingURL=${url}`;
    const { name, report } = await resolveIn({ 'main.js': script, 'etc/passwd': MAP }, T, reads);
    assert.equal(name, null);
    assert.deepEqual(reads, ['main.js']);
    assert.match(report.warnings[0]?.message ?? '', /its source map ".+" is not among the files/);
    assert.doesNotMatch(report.warnings[0]?.message ?? '', /token/);
  }
});

test('the file with the most last parts of the URL in common is used, and of equal ones none', async () => {
  const wrong = mapOf([[0, 0, 40, 0]], { sources: ['wrong.ts'] });
  const files = { 'play/main.js.map': MAP, 'old/main.js.map': wrong };
  assert.equal((await resolveIn(files)).name, 'update src/game.ts:1');
  const elsewhere = at('t', 11, 'http://h/x/main.js');
  assert.equal((await resolveIn(files, elsewhere)).name, null);
  const encoded = { 'my%game/main.js.map': wrong, 'mein spiel/main.js.map': MAP };
  const spaced = at('t', 11, 'http://h/mein%20spiel/main.js');
  assert.equal((await resolveIn(encoded, spaced)).name, 'update src/game.ts:1');
});

test('without the sources, names of the map are used, but not those of parameters and callees', async () => {
  const bare = mapOf(SEGMENTS, FIELDS);
  const files = { 'main.js': SCRIPT, 'main.js.map': bare };
  assert.equal((await resolveIn(files)).name, 'update src/game.ts:1');
  assert.equal((await resolveIn(files, U)).name, 'u src/game.ts:2');
  assert.equal((await resolveIn(files, CALLBACK)).name, '(anonymous) src/game.ts:3');
  assert.equal((await resolveIn({ 'main.js.map': bare }, U)).name, 'u src/game.ts:2');
  const callee = mapOf(SEGMENTS.slice(0, 4), FIELDS);
  const inCall = await resolveIn({ 'main.js.map': callee }, CALLBACK);
  assert.equal(inCall.name, '(anonymous) src/game.ts:3');
  const whole = { 'main.js': SCRIPT, 'main.js.map': MAP };
  assert.equal((await resolveIn(whole, U)).name, 'draw src/game.ts:2');
  assert.equal((await resolveIn(whole, CALLBACK)).name, '(anonymous) src/game.ts:3');
});

test('a function that the map does not cover, or that the script does not have, is unknown', async () => {
  const files = { 'main.js': SCRIPT, 'main.js.map': mapOf(SEGMENTS.slice(0, 1), FIELDS) };
  const two = { ...files, 'main.js.map': mapOf([[0, 0, 0, 0], ...SEGMENTS.slice(0, 1)], FIELDS) };
  assert.equal((await resolveIn(two)).name, 'update src/game.ts:1');
  // The code `(){}var` is between the last segment and this function.
  assert.equal((await resolveIn(two, U)).name, null);
  assert.equal((await resolveIn(two, { ...T, line: 2 })).name, null);
  assert.equal((await resolveIn(two, { ...T, column: 4000 })).name, null);
  // A map with only lines covers them whole.
  const lines = { ...files, 'main.js.map': mapOf([[0, 0, 6, 0]]) };
  assert.equal((await resolveIn(lines, U)).name, 'u src/game.ts:7');
});

test('index maps are read, and their sections are bounded', async () => {
  const section = (line: number, map: unknown): unknown => ({ offset: { line, column: 0 }, map });
  const index = (sections: unknown): string => JSON.stringify({ version: 3, sections });
  const parsed = JSON.parse(MAP);
  const two = index([section(0, parsed), section(1, parsed)]);
  assert.equal((await resolveIn({ 'main.js.map': two })).name, 'update src/game.ts:1');
  assert.equal(
    (await resolveIn({ 'main.js.map': two }, { ...T, line: 2 })).name,
    'update src/game.ts:1',
  );
  const levels = 100_000;
  const open = '{"version":3,"sections":[{"offset":{"line":0,"column":0},"map":'.repeat(levels);
  const nested = `${open}${MAP}${'}]}'.repeat(levels)}`;
  for (const [text, reason] of [
    [nested, /nested more than 8 levels/],
    [index([section(2 ** 40, parsed)]), /no valid offset/],
    [index([section(-1, parsed)]), /no valid offset/],
    [
      index([section(3_999_999, { version: 3, sections: [section(2, parsed)] })]),
      /no valid offset/,
    ],
    [index([{ offset: { line: 0, column: 0 }, url: '../x.map' }]), /has no map/],
    [index('all'), /sections are damaged/],
    [index([null]), /no valid offset/],
  ] as const) {
    const { name, report } = await resolveIn({ 'main.js.map': text });
    assert.equal(name, null);
    assert.match(report.warnings[0]?.message ?? '', reason);
    assert.equal(report.warnings[0]?.path, 'main.js.map');
  }
});

test('a damaged map is reported once, by its name', async () => {
  for (const [text, reason] of [
    ['{', /not valid JSON/],
    ['null', /not a source map/],
    ['[]', /not a source map/],
    ['{}', /no version/],
    [MAP.replace('"version":3', '"version":2'), /version 2; only version 3/],
    [mapOf([], { mappings: 'AA*A' }), /mappings are damaged/],
    [mapOf([], { mappings: 7 }), /mappings are damaged/],
    [mapOf([], { sources: 'a.ts' }), /sources or names are damaged/],
    [mapOf([], { names: [7] }), /sources or names are damaged/],
    [mapOf([], { sourcesContent: [7] }), /sources or names are damaged/],
    [mapOf([], { mappings: ';'.repeat(12_000_001) }), /more than 12000000 mappings/],
  ] as const) {
    const symbols = await openSymbols(filesOf({ 'main.js': SCRIPT, 'main.js.map': text }));
    assert.equal(await symbols.resolve(T), undefined);
    assert.equal(await symbols.resolve(U), undefined);
    const { warnings } = symbols.report();
    assert.equal(warnings.length, 1);
    assert.match(warnings[0]?.message ?? '', reason);
  }
});

test('mappings with wrong numbers give no source, and no error', async () => {
  const deep = vlq(2 ** 40).repeat(20);
  for (const mappings of [
    mappingsOf([[-5, 0, 0, 0]]),
    mappingsOf([[0, 7, 0, 0]]),
    mappingsOf([[0, -1, 0, 0]]),
    mappingsOf([[0, 0, -3, 0]]),
    mappingsOf([[0, 0, 3, -9]]),
    'g',
    'gggggggggggggggggggggggggggg',
    'A',
    'AA',
    deep,
  ]) {
    const text = mapOf([], { mappings, sourcesContent: [SOURCE] });
    const symbols = await openSymbols(filesOf({ 'main.js.map': text }));
    const original = await symbols.resolve(T);
    const { line = 1, column = 1 } = original?.source ?? {};
    assert.ok(line > 0 && column > 0, mappings);
  }
  const named = mapOf([[9, 0, 0, 9, 7]], {});
  assert.equal((await resolveIn({ 'main.js.map': named })).name, 't src/game.ts:1');
  const nowhere = mapOf([[9, 0, 900, 9]], { sourcesContent: [SOURCE] });
  assert.equal((await resolveIn({ 'main.js.map': nowhere })).name, 't src/game.ts:901');
  const missing = mapOf([[9, 0, 0, 9]], { sources: [null] });
  assert.equal((await resolveIn({ 'main.js.map': missing })).name, null);
});

test('each file is read once, and only if a function needs it', async () => {
  const reads: string[] = [];
  const files = { 'main.js': SCRIPT, 'main.js.map': MAP, 'other.js': SCRIPT, 'other.js.map': MAP };
  const symbols = await openSymbols(filesOf(files, reads));
  assert.deepEqual(reads, []);
  const all = [T, T, U, { ...T, url: 'http://h/b/main.js' }];
  await Promise.all(all.map((one) => symbols.resolve(one)));
  assert.deepEqual(reads, ['main.js', 'main.js.map']);
  const { functions, resolved, scripts } = symbols.report();
  assert.deepEqual([functions, resolved], [3, 3]);
  assert.deepEqual(
    scripts.map((one) => one.functions),
    [1, 2],
  );
});

test('the script with the most functions without a source is first, and code of the browser is not counted', async () => {
  const symbols = await openSymbols(filesOf({ 'main.js': SCRIPT, 'main.js.map': MAP }));
  const in2 = 'http://h/vendor.js';
  for (const one of [
    T,
    U,
    at('a', 1, in2),
    at('b', 2, in2),
    at('c', 3, 'chrome-extension://x/c.js'),
  ])
    await symbols.resolve(one);
  const { functions, scripts } = symbols.report();
  assert.equal(functions, 4);
  assert.deepEqual(
    scripts.map(({ url, map }) => [url, map]),
    [
      [in2, null],
      [T.url, 'main.js.map'],
    ],
  );
});

test('find returns the same as resolve, and counts nothing', async () => {
  const symbols = await openSymbols(filesOf({ 'main.js': SCRIPT, 'main.js.map': MAP }));
  assert.equal((await symbols.find(T))?.name, 'update');
  assert.equal(symbols.report().functions, 0);
  assert.equal((await symbols.resolve(T))?.name, 'update');
  assert.deepEqual([symbols.report().functions, symbols.report().resolved], [1, 1]);
});
