// The golden corpus: each file beside the `info` that every reader must return for it. UPDATE_GOLDEN=1 writes missing ones.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { formatHeader, formatRecord, readVpt, TraceInfoReader } from '../src/index.ts';

const FOLDER = new URL('../fixtures/golden/', import.meta.url);
const FILES = readdirSync(FOLDER).filter((file) => /\.(vpt|folded)$/.test(file));

function infoOf(bytes: Uint8Array): unknown {
  const reader = new TraceInfoReader();
  reader.push(bytes);
  return JSON.parse(JSON.stringify(reader.finish()));
}

for (const file of FILES) {
  test(`fixtures/golden/${file} is read as its .json states`, () => {
    const info = infoOf(readFileSync(new URL(file, FOLDER)));
    const expected = new URL(`${file}.json`, FOLDER);
    if (process.env['UPDATE_GOLDEN'] === '1' && !existsSync(expected)) {
      writeFileSync(expected, `${JSON.stringify(info, null, 2)}\n`);
    }
    assert.deepEqual(info, JSON.parse(readFileSync(expected, 'utf8')));
  });
}

for (const file of FILES.filter((one) => one.endsWith('.vpt') && !one.startsWith('foreign'))) {
  test(`fixtures/golden/${file} is the same bytes when written again`, () => {
    const bytes = readFileSync(new URL(file, FOLDER));
    const { header, lines, torn_bytes } = readVpt(bytes);
    const kept = bytes.subarray(0, bytes.length - torn_bytes).toString('utf8');
    const written = formatHeader(header) + lines.map(formatRecord).join('');
    assert.equal(written, kept.endsWith('\n') ? kept : `${kept}\n`);
  });
}

test('fixtures/golden contains a file of each format for every record type', () => {
  const types = new Set(
    FILES.filter((file) => file.endsWith('.vpt')).flatMap((file) =>
      readVpt(readFileSync(new URL(file, FOLDER))).lines.map((record) => record.type),
    ),
  );
  const all =
    'asset counter end frames log longtask loss mark note process release span stacks unknown';
  assert.equal([...types].sort().join(' '), all);
});
