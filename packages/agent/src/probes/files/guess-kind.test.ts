import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kindOfHead, kindOfName } from './guess-kind.ts';

const head = (latin1: string): Uint8Array => Buffer.from(latin1, 'latin1');

test('kindOfName uses the extension, in either case', () => {
  assert.deepEqual(kindOfName('art/Rock.PNG'), { kind: 'texture', isSure: true });
  assert.deepEqual(kindOfName('hit.ogg'), { kind: 'audio', isSure: true });
  assert.deepEqual(kindOfName('level'), { kind: 'other', isSure: false });
});

test('kindOfName: an ambiguous extension is not sure', () => {
  assert.deepEqual(kindOfName('rock.bin'), { kind: 'data', isSure: false });
});

test('kindOfHead finds a signature at its offset', () => {
  assert.deepEqual(kindOfHead(head('\x89PNG\r\n\x1a\n…')), { kind: 'texture', format: 'PNG' });
  assert.deepEqual(kindOfHead(head('RIFF\0\0\0\0WAVEfmt ')), { kind: 'audio', format: 'WAV' });
  assert.deepEqual(kindOfHead(head('RIFF\0\0\0\0WEBPVP8 ')), { kind: 'texture', format: 'WebP' });
  assert.deepEqual(kindOfHead(head('\0\0\0 ftypavif')), { kind: 'texture', format: 'AVIF' });
  assert.deepEqual(kindOfHead(head('\0\0\0 ftypisom')), { kind: 'video', format: 'MP4' });
});

test('kindOfHead returns null without a signature', () => {
  assert.equal(kindOfHead(head('hello')), null);
  assert.equal(kindOfHead(head('')), null);
});
