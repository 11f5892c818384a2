// The names of WebAssembly functions: from the name section of an unstripped module, and from symbol files.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TracedFunction } from '@svc/trace';
import { openSymbols, type SymbolReport } from '../src/index.ts';
import { filesOf } from './files-of.ts';

const leb = (value: number): number[] =>
  value < 128 ? [value] : [(value & 127) | 128, ...leb(value >>> 7)];
const section = (id: number, bytes: readonly number[]): number[] => [
  id,
  ...leb(bytes.length),
  ...bytes,
];
const text = (value: string): number[] => [...leb(value.length), ...Buffer.from(value)];
const HEAD = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];

/** Imports of each kind, one of which is a function: the functions of the module have the indices from 1 on. */
const IMPORTS = section(2, [
  5,
  ...[...text('e'), ...text('table'), 1, 0x70, 1, 1, 9],
  ...[...text('e'), ...text('memory'), 2, 3, 1, 0x80, 2],
  ...[...text('e'), ...text('global'), 3, 0x7f, 0],
  ...[...text('e'), ...text('f'), 0, 0],
  ...[...text('e'), ...text('tag'), 4, 0, 0],
]);
const CODE = section(10, [2, 3, 0, 1, 0x0b, 2, 0, 0x0b]);
const STRIPPED = Uint8Array.from([...HEAD, ...IMPORTS, ...CODE]);
/** The offset of the body of function 2. */
const BODY = STRIPPED.length - 2;

function nameSection(names: Readonly<Record<number, string>>): number[] {
  const entries = Object.entries(names);
  const list = entries.flatMap(([index, name]) => [...leb(Number(index)), ...text(name)]);
  const module = section(0, text('game'));
  const functions = section(1, [...leb(entries.length), ...list]);
  return section(0, [...text('name'), ...module, ...functions]);
}

const withNames = (names: Readonly<Record<number, string>>): Uint8Array =>
  Uint8Array.from([...STRIPPED, ...nameSection(names)]);

async function resolveIn(
  files: Readonly<Record<string, string | Uint8Array>>,
  about: Partial<TracedFunction> = {},
): Promise<{ name: string | undefined; report: SymbolReport }> {
  const symbols = await openSymbols(filesOf(files));
  const original = await symbols.resolve({
    own: 'wasm-function[2]',
    url: 'http://h/game.wasm',
    line: 1,
    column: BODY + 1,
    wasmIndex: 2,
    ...about,
  });
  assert.equal(original?.source ?? null, null);
  return { name: original?.name, report: symbols.report() };
}

test('an unstripped module beside the stripped one names a function, whatever the file is called', async () => {
  const files = { 'game.wasm': STRIPPED, 'symbols/game.debug.wasm': withNames({ 2: 'update()' }) };
  const { name, report } = await resolveIn(files);
  assert.equal(name, 'update()');
  assert.deepEqual([report.maps, report.warnings], [['symbols/game.debug.wasm'], []]);
  assert.equal((await resolveIn(files, { url: 'wasm://wasm/0fea3a6e' })).name, 'update()');
});

test('a module whose function begins elsewhere, or that has no such function, does not name it', async () => {
  const files = { 'game.wasm': withNames({ 1: 'init', 2: 'update', 9: 'far' }) };
  for (const about of [
    { column: BODY },
    { wasmIndex: 1 },
    { wasmIndex: 9 },
    { wasmIndex: 0, column: 1 },
  ]) {
    assert.equal((await resolveIn(files, about)).name, undefined);
  }
  const two = { ...files, 'other.wasm': withNames({ 2: 'render' }) };
  assert.equal((await resolveIn(two)).name, undefined);
});

test('a symbol file of Emscripten names a function by its index', async () => {
  const symbols = '1:init\n2:std::__2::vector\\3cint\\3e\\20const\n';
  const shown = 'std::__2::vector<int> const';
  for (const path of ['game.wasm.symbols', 'build/game.js.symbols', 'game.symbols']) {
    assert.equal((await resolveIn({ [path]: symbols })).name, shown, path);
  }
  const unnamed = { url: 'wasm://wasm/0fea3a6e' };
  assert.equal((await resolveIn({ 'a.js.symbols': symbols }, unnamed)).name, shown);
  const two = { 'a.js.symbols': symbols, 'b.js.symbols': symbols };
  assert.equal((await resolveIn(two, unnamed)).name, undefined);
  assert.equal((await resolveIn({ 'other.js.symbols': symbols })).name, undefined);
  const damaged = await resolveIn({ 'game.js.symbols': 'a\0b' });
  assert.equal(damaged.name, undefined);
  assert.match(damaged.report.warnings[0]?.message ?? '', /not a list of "index:name" lines/);
});

test('every prefix and every changed byte of a module gives a name, no name or a warning', async () => {
  const whole = withNames({ 1: 'init', 2: 'update' });
  assert.equal((await resolveIn({ 'a.wasm': whole })).name, 'update');
  for (let length = 0; length < whole.length; length++) {
    const { name, report } = await resolveIn({ 'a.wasm': whole.subarray(0, length) });
    assert.equal(name, undefined);
    const isSection = [8, 8 + IMPORTS.length, STRIPPED.length].includes(length);
    assert.equal(report.warnings.length, isSection ? 0 : 1, `${length} bytes`);
  }
  for (let at = 0; at < whole.length; at++) {
    for (const byte of [0, 0x7f, 0x80, 0xff]) {
      const changed = whole.slice();
      changed[at] = byte;
      await resolveIn({ 'a.wasm': changed });
    }
  }
});

test('a count that is larger than the module, and a number without an end, are rejected', async () => {
  const count = [0xff, 0xff, 0xff, 0xff, 0x0f];
  for (const [bytes, reason] of [
    [section(10, count), /more functions or imports than its size/],
    [section(10, leb(1000)), /more functions or imports than its size/],
    [section(2, count), /more functions or imports than its size/],
    [section(0, [...text('name'), ...section(1, count)]), /more functions or imports/],
    [section(0, [...text('name'), 1, ...count]), /ends in the middle/],
    [[10, ...new Array(20).fill(0xff)], /number that is too long/],
    [section(2, [1, ...text('e'), ...text('f'), 9, 0]), /import of the unknown kind 9/],
  ] as const) {
    const { report } = await resolveIn({ 'a.wasm': Uint8Array.from([...HEAD, ...bytes]) });
    assert.match(report.warnings[0]?.message ?? '', reason);
  }
});
