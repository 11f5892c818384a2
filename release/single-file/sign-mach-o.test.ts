// The signature of programs for macOS, on small programs that are built here. Another reader checks it, as the system does.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { signMachO } from './sign-mach-o.ts';
import { stripMachO } from './strip-mach-o.ts';
import { buildMachO } from './testing/build-mach-o.ts';
import { readMachO } from './testing/read-mach-o.ts';
import { signatureFault } from './testing/signature-fault.ts';

test('the signature of a program of any size is valid', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 20_000 }),
      fc.array(
        fc.string().map((text) => `_${text.replaceAll('\0', '')}`),
        { minLength: 1 },
      ),
      fc.stringMatching(/^[a-z.]{1,40}$/),
      (code, imported, identifier) => {
        const program = buildMachO({
          code: Buffer.from(code),
          imported,
          signature: null,
          indirect: [],
        });
        assert.equal(signatureFault(signMachO(program, identifier), identifier), null);
      },
    ),
    { numRuns: 50 },
  );
});

test('the segment __LINKEDIT is loaded as a whole if the signature makes it larger than a page', () => {
  const program = buildMachO({
    imported: [`_${'x'.repeat(16_000)}`],
    indirect: [],
    signature: null,
  });
  const [before, after] = [program, signMachO(program, 'svc')].map(readMachO);
  assert.deepEqual(
    [before, after].map((one) => one?.segments.at(-1)?.memory),
    [0x4000, 0x8000],
  );
  assert.equal(signatureFault(signMachO(program, 'svc'), 'svc'), null);
});

test('a change of any byte makes the signature invalid', () => {
  const signed = signMachO(buildMachO({ code: Buffer.alloc(5_000, 1), signature: null }), 'svc');
  assert.equal(signatureFault(signed, 'svc'), null);
  for (let at = 0; at < signed.length; at++) {
    const byte = signed[at] ?? 0;
    signed[at] = byte ^ (1 << (at % 8));
    assert.notEqual(signatureFault(signed, 'svc'), null, `byte ${at}`);
    signed[at] = byte;
  }
});

test('another name, and a byte more or less, make the signature invalid', () => {
  const signed = signMachO(buildMachO({ signature: null }), 'svc');
  assert.match(String(signatureFault(signed, 'node')), /places of hashes and name/);
  assert.notEqual(signatureFault(signed.subarray(0, -1), 'svc'), null);
  assert.notEqual(signatureFault(Buffer.concat([signed, Buffer.of(0)]), 'svc'), null);
});

test('a stripped program can be signed, and keeps its code and symbols', () => {
  const stripped = stripMachO(buildMachO());
  const signed = signMachO(stripped, 'svc');
  assert.equal(signatureFault(signed, 'svc'), null);
  const [before, after] = [stripped, signed].map(readMachO);
  assert.deepEqual(after?.symbols, before?.symbols);
  assert.deepEqual(after?.parts.slice(0, -1), before?.parts);
  assert.deepEqual(after?.commands.length, (before?.commands.length ?? 0) + 1);
  assert.deepEqual(after?.segments.slice(0, -1), before?.segments.slice(0, -1));
});

test('signing leaves the program it is given as it is', () => {
  const program = buildMachO({ signature: null });
  const copy = Buffer.from(program);
  signMachO(program, 'svc');
  assert.deepEqual(program, copy);
});

test('a program that is signed already is rejected', () => {
  assert.throws(() => signMachO(buildMachO(), 'svc'), /The program is signed already/);
  const signed = signMachO(buildMachO({ signature: null }), 'svc');
  assert.throws(() => signMachO(signed, 'svc'), /The program is signed already/);
});

test('a program needs 16 bytes between its load commands and its first section, even if that starts with zeros', () => {
  const program = (room: number): Buffer =>
    buildMachO({ room, code: Buffer.alloc(100), signature: null });
  assert.equal(signatureFault(signMachO(program(16), 'svc'), 'svc'), null);
  for (const room of [0, 8, 15]) {
    assert.throws(() => signMachO(program(room), 'svc'), /There is no room for the command/);
  }
});

test('other files, and a program with bytes behind its last segment, are rejected', () => {
  assert.throws(() => signMachO(Buffer.alloc(100), 'svc'), /Not a 64-bit Mach-O program/);
  const longer = buildMachO({ signature: null, behind: Buffer.of(0) });
  assert.throws(() => signMachO(longer, 'svc'), /__LINKEDIT is not at the end/);
});
