// A ZIP that is cut off at any byte is rejected.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BuildError, bufferSource, extractEntries, readArchive } from '../src/index.ts';
import { buildZip } from './zip-builder.ts';

const ENTRIES = [
  { name: 'index.html', data: '<!doctype html><title>x</title>', deflate: true },
  { name: 'a.bin', data: Buffer.alloc(200, 7), descriptor: 'signed32' as const },
  { name: 'nested.zip', data: buildZip([{ name: 'b', data: 'b' }]) },
];

async function codeOf(zip: Buffer): Promise<string | null> {
  try {
    await using archive = await readArchive(bufferSource(zip));
    await extractEntries(archive, null);
    return null;
  } catch (error) {
    if (error instanceof BuildError) return error.code;
    throw error;
  }
}

for (const [what, zip] of Object.entries({
  'a plain ZIP': buildZip(ENTRIES),
  'a ZIP with a comment': buildZip(ENTRIES, { comment: Buffer.from('a comment') }),
  'a Zip64': buildZip(ENTRIES, { end64: {} }),
})) {
  test(`readArchive rejects ${what} cut at every byte from its end`, async () => {
    assert.equal(await codeOf(zip), null);
    for (let length = 0; length < zip.length; length++) {
      const code = await codeOf(zip.subarray(0, length));
      assert.match(code ?? 'accepted', /^zip_(?:malformed|ambiguous)$/, `cut at ${length}`);
    }
  });

  test(`readArchive rejects ${what} cut at every byte from its beginning`, async () => {
    for (let from = 1; from < zip.length; from++) {
      const code = await codeOf(zip.subarray(from));
      assert.match(code ?? 'accepted', /^zip_/, `from ${from}`);
    }
  });

  test(`readArchive rejects ${what} with one more byte at any position`, async () => {
    for (let at = 0; at <= zip.length; at++) {
      const longer = Buffer.concat([zip.subarray(0, at), Buffer.from([0x41]), zip.subarray(at)]);
      assert.notEqual(await codeOf(longer), null, `at ${at}`);
    }
  });
}
