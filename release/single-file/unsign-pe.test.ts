// Programs for Windows without their signature, on a small program that is built here.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { unsignPe } from './unsign-pe.ts';

const PE = 0x80;
const OPTIONAL = PE + 24;
const CHECKSUM = OPTIONAL + 64;
const CERTIFICATES = OPTIONAL + 112 + 4 * 8;

/** A program with a section, and a signature at the end if there is a certificate. The bytes are those of the other fields. */
function buildPe(
  certificate: Buffer | null,
  section = Buffer.from('the code of the program'),
): Buffer {
  const head = Buffer.alloc(0x200, 0xa5);
  head.write('MZ', 0);
  head.writeUInt32LE(PE, 0x3c);
  head.write('PE\0\0', PE);
  head.writeUInt16LE(0x20b, OPTIONAL);
  head.writeUInt32LE(0x1234_5678, CHECKSUM);
  const size = certificate?.length ?? 0;
  head.writeUInt32LE(size === 0 ? 0 : head.length + section.length, CERTIFICATES);
  head.writeUInt32LE(size, CERTIFICATES + 4);
  return Buffer.concat([head, section, certificate ?? Buffer.alloc(0)]);
}

test('the signature, its place in the header and the sum over the file are removed, and nothing else', () => {
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 500 });
  fc.assert(
    fc.property(bytes, bytes, (certificate, section) => {
      const signed = buildPe(Buffer.from(certificate), Buffer.from(section));
      const copy = Buffer.from(signed);
      const expected = buildPe(null, Buffer.from(section));
      expected.writeUInt32LE(0, CHECKSUM);
      assert.deepEqual(unsignPe(signed), expected);
      assert.deepEqual(signed, copy);
    }),
  );
});

test('a program without a signature stays as it is', () => {
  const program = buildPe(null);
  assert.deepEqual(unsignPe(program), buildPe(null));
  assert.deepEqual(
    unsignPe(unsignPe(buildPe(Buffer.alloc(8)))),
    unsignPe(buildPe(Buffer.alloc(8))),
  );
});

test('a program with something behind its signature, or with half of it, is rejected', () => {
  const signed = buildPe(Buffer.alloc(64, 1));
  const message = { message: 'The signature is not at the end' };
  assert.throws(() => unsignPe(Buffer.concat([signed, Buffer.alloc(8)])), message);
  assert.throws(() => unsignPe(signed.subarray(0, -8)), message);
});

test('other files are rejected: of 32 bits, for DOS, for Linux, texts, empty ones', () => {
  const narrow = buildPe(null);
  narrow.writeUInt16LE(0x10b, OPTIONAL);
  const old = buildPe(null);
  old.write('NE', PE);
  const far = buildPe(null);
  far.writeUInt32LE(0xffff_fff0, 0x3c);
  const others = [
    ...[narrow, old, far, Buffer.alloc(0), Buffer.from('MZ'), Buffer.alloc(64), Buffer.alloc(63)],
    ...[readFileSync(import.meta.filename), readFileSync(process.execPath).subarray(0, 4096)],
  ];
  for (const [index, other] of others.entries()) {
    assert.throws(() => unsignPe(other), { message: 'Not a 64-bit PE program' }, `file ${index}`);
  }
});
