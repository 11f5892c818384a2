// What is left of a program for macOS without its local symbols, on small programs that are built here.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { stripMachO } from './strip-mach-o.ts';
import { buildMachO, command, DATA, INDIRECT } from './testing/build-mach-o.ts';
import { readMachO } from './testing/read-mach-o.ts';

const PROGRAM = buildMachO();

/** Programs with any symbols, and any indirect symbols that are not local. */
const programs = fc
  .record({
    locals: fc.array(fc.string({ unit: 'grapheme' }).map(asName), { maxLength: 8 }),
    exported: fc.array(fc.string({ unit: 'grapheme' }).map(asName), { maxLength: 8 }),
    imported: fc.array(fc.string().map(asName), { minLength: 1, maxLength: 8 }),
  })
  .chain(({ locals, exported, imported }) => {
    const last = locals.length + exported.length + imported.length - 1;
    const number = fc.integer({ min: locals.length, max: last });
    const unnamed = fc.constantFrom(
      ...[INDIRECT.local, INDIRECT.absolute, INDIRECT.local + INDIRECT.absolute],
    );
    const indirect = fc.array(fc.oneof(number, unnamed), { maxLength: 12 });
    return fc.record({
      ...{ locals: fc.constant(locals), exported: fc.constant(exported) },
      ...{ imported: fc.constant(imported), indirect },
    });
  });

function asName(text: string): string {
  return `_${text.replaceAll('\0', '')}`;
}

test('the symbols that other files use, and the indirect ones, stay under their names', () => {
  fc.assert(
    fc.property(programs, (symbols) => {
      const program = buildMachO(symbols);
      const [before, after] = [readMachO(program), readMachO(stripMachO(program))];
      assert.deepEqual(after.groups, { ...before.groups, locals: [] });
      assert.deepEqual(after.symbols, [...before.groups.exported, ...before.groups.imported]);
      assert.deepEqual(after.indirect, before.indirect);
    }),
  );
});

test('no name of a local symbol stays', () => {
  const stripped = stripMachO(PROGRAM);
  assert.deepEqual(readMachO(stripped).strings, [
    ...[' ', '__mh_execute_header', '_napi_create_array', '_uv_run', '_malloc', '_pthread_create'],
  ]);
  for (const name of readMachO(PROGRAM).groups.locals) assert.ok(!stripped.includes(name.name));
  assert.ok(stripped.length < PROGRAM.length);
});

test('fixups, exports and the starts of functions stay, and the signature does not', () => {
  const { parts } = readMachO(stripMachO(PROGRAM));
  const contents = Object.fromEntries(parts.map(({ name, bytes }) => [name, bytes]));
  const { symbols, strings, indirect, ...others } = contents;
  assert.deepEqual(others, DATA);
  assert.ok(symbols && strings && indirect);
});

test('the load commands stay, except that of the signature, whose room becomes zeros', () => {
  const [before, after] = [PROGRAM, stripMachO(PROGRAM)].map(readMachO);
  const kinds = before?.commands.map(({ kind }) => kind).filter((kind) => kind !== 0x1d);
  assert.deepEqual(
    after?.commands.map(({ kind }) => kind),
    kinds,
  );
  const stripped = stripMachO(PROGRAM);
  const end = 32 + stripped.readUInt32LE(20);
  assert.deepEqual(stripped.subarray(end, end + 16), Buffer.alloc(16));
  const same = ({ kind }: { readonly kind: number }): boolean => [0x1b, 0x80000028].includes(kind);
  assert.deepEqual(after?.commands.filter(same), before?.commands.filter(same));
});

test('what is before __LINKEDIT stays where it is', () => {
  const code = Buffer.alloc(10_000, 'code');
  const program = buildMachO({ code });
  const [before, after] = [program, stripMachO(program)].map((one) => readMachO(one).segments);
  assert.deepEqual(after?.[1]?.sections[0]?.bytes, code);
  assert.deepEqual(after?.slice(0, -1), before?.slice(0, -1));
  assert.equal(after?.at(-1)?.offset, before?.at(-1)?.offset);
});

test('the parts of __LINKEDIT are aligned, do not overlap, and fill it to the end of the file', () => {
  for (const count of [0, 1, 2, 1_000]) {
    const exported = Array.from({ length: count }, (_, index) => `_${'x'.repeat(index % 40)}`);
    const stripped = stripMachO(buildMachO({ exported, indirect: [3, 4, 3].slice(count % 2) }));
    const { parts, segments } = readMachO(stripped);
    const segment = segments.at(-1);
    let end = segment?.offset ?? 0;
    for (const { name, offset, bytes } of parts) {
      assert.equal(offset % 8, 0, name);
      assert.ok(offset >= end && offset < end + 8, name);
      end = offset + bytes.length;
    }
    assert.ok(end <= stripped.length && stripped.length < end + 8);
    assert.equal((segment?.offset ?? 0) + (segment?.size ?? 0), stripped.length);
    assert.equal(segment?.memory, Math.ceil((segment?.size ?? 0) / 0x4000) * 0x4000);
  }
});

test('a program without local symbols loses only its signature', () => {
  const program = buildMachO({ locals: [], indirect: [0, 4] });
  const [before, after] = [program, stripMachO(program)].map(readMachO);
  assert.deepEqual(after?.symbols, before?.symbols);
  assert.deepEqual(after?.indirect, ['__mh_execute_header', '_pthread_create']);
});

test('programs of another structure are rejected', () => {
  const reject = (program: Buffer, message: RegExp): void =>
    assert.throws(() => stripMachO(program), message);
  reject(Buffer.from('#!/bin/sh\necho I am a script, and long enough\n'), /Not a 64-bit Mach-O/);
  reject(buildMachO({ behind: Buffer.alloc(16) }), /__LINKEDIT is not at the end/);
  reject(buildMachO({ signature: null }), /0 load commands are of the kind 0x1d/);
  reject(buildMachO({ dysymtab: { 8: 1 } }), /The local symbols are not the first ones/);
  reject(buildMachO({ indirect: [2] }), /The indirect symbol table names a local symbol/);
  // LC_DYLD_INFO_ONLY, which older programs have instead of fixups.
  reject(buildMachO({ more: [command(0x80000022, 0, 0)] }), /load command 0x80000022 is unknown/);
  for (const count of [36, 44, 52, 68, 76]) {
    reject(buildMachO({ dysymtab: { [count]: 1 } }), /has tables of symbols that executables have/);
  }
});
