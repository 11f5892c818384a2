// Load commands of programs for macOS, on a small program that is built here.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  COMMAND,
  commandOf,
  isIndependent,
  isLinkEditData,
  loadCommands,
  offsetOfLinkEdit,
  removeCommand,
  SEGMENT,
  segmentNamed,
} from './mach-o.ts';
import { buildMachO, command } from './testing/build-mach-o.ts';
import { readMachO } from './testing/read-mach-o.ts';

const PROGRAM = buildMachO();

test('loadCommands returns each command with its place and size', () => {
  const { commands } = readMachO(PROGRAM);
  assert.deepEqual(
    loadCommands(PROGRAM).map(({ kind, at, bytes }) => [kind, PROGRAM.subarray(at, at + bytes)]),
    commands.map(({ kind, bytes }) => [kind, bytes]),
  );
});

test('loadCommands rejects other files: for Linux, for Windows, of 32 bits, for several processors, empty ones', () => {
  const message = { message: 'Not a 64-bit Mach-O program' };
  for (const start of ['7f454c4602010100', '4d5a9000', 'cefaedfe', 'cafebabe', 'feedfacf']) {
    const other = Buffer.concat([Buffer.from(start, 'hex'), Buffer.alloc(100)]);
    assert.throws(() => loadCommands(other), message, start);
  }
  assert.throws(() => loadCommands(PROGRAM.subarray(0, 31)), message);
  assert.throws(() => loadCommands(Buffer.alloc(0)), message);
  assert.throws(() => loadCommands(readFileSync(import.meta.filename)), message);
});

test('the commands with data in __LINKEDIT, the independent ones, and those with symbols are distinct', () => {
  const kinds = (filter: typeof isIndependent): number[] =>
    loadCommands(PROGRAM)
      .filter(filter)
      .map(({ kind }) => kind);
  assert.deepEqual(kinds(isLinkEditData), [0x80000034, 0x80000033, 0x26, 0x29, 0x1d]);
  assert.deepEqual(kinds(isIndependent), [0x19, 0x19, 0x19, 0x1b, 0x80000028]);
  const neither = kinds((one) => !isLinkEditData(one) && !isIndependent(one));
  assert.deepEqual(neither, [COMMAND.symtab, COMMAND.dysymtab]);
});

test('commandOf returns the only command of a kind, and rejects none and two', () => {
  const { at, bytes } = commandOf(PROGRAM, COMMAND.symtab);
  assert.deepEqual([PROGRAM.readUInt32LE(at), bytes], [0x02, 24]);
  assert.throws(() => commandOf(PROGRAM, 0x22), /0 load commands are of the kind 0x22, not 1/);
  const twice = buildMachO({ more: [command(0x26, 0, 0)] });
  assert.throws(() => commandOf(twice, 0x26), /2 load commands are of the kind 0x26, not 1/);
});

test('segmentNamed finds a segment by its whole name', () => {
  const { at } = segmentNamed(PROGRAM, '__TEXT');
  assert.equal(PROGRAM.toString('latin1', at + 8, at + 14), '__TEXT');
  assert.equal(PROGRAM.readBigUInt64LE(at + SEGMENT.vmAddress), 0x1_0000_0000n);
  for (const name of ['__TEX', '__TEXT_EXEC', '']) {
    assert.throws(() => segmentNamed(PROGRAM, name), { message: `No segment ${name}` });
  }
});

test('offsetOfLinkEdit returns the start of the last segment, and rejects bytes behind it', () => {
  const { segments } = readMachO(PROGRAM);
  assert.equal(offsetOfLinkEdit(PROGRAM), segments.at(-1)?.offset);
  const longer = buildMachO({ behind: Buffer.of(0) });
  assert.throws(() => offsetOfLinkEdit(longer), /__LINKEDIT is not at the end/);
  assert.throws(() => offsetOfLinkEdit(PROGRAM.subarray(0, -1)), /__LINKEDIT is not at the end/);
});

test('removeCommand removes one command, and keeps the others and everything behind them', () => {
  const whole = buildMachO({ room: 0 });
  const { commands } = readMachO(whole);
  const end = 32 + whole.readUInt32LE(20);
  for (const [index, removed] of loadCommands(whole).entries()) {
    const program = Buffer.from(whole);
    removeCommand(program, removed);
    const left = program.readUInt32LE(16);
    assert.equal(left, commands.length - 1);
    assert.equal(program.readUInt32LE(20), whole.readUInt32LE(20) - removed.bytes);
    assert.deepEqual(
      loadCommands(program).map(({ at, bytes }) => program.subarray(at, at + bytes)),
      commands.toSpliced(index, 1).map(({ bytes }) => bytes),
    );
    const freed = program.subarray(end - removed.bytes, end);
    assert.deepEqual(freed, Buffer.alloc(removed.bytes));
    assert.deepEqual(program.subarray(end), whole.subarray(end));
    assert.deepEqual(program.subarray(0, 16), whole.subarray(0, 16));
  }
});
