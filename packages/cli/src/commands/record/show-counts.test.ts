import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { showCounts } from './show-counts.ts';

/** A standard error that keeps what is written. */
function stderrOf(isTTY: boolean, columns = 80) {
  const written: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      done();
    },
  });
  return { written, stderr: Object.assign(stream, { isTTY, columns }) };
}

const COUNTS = { duration_ms: 1000, frames: 60, hitches: 2, fps: 59.94 };

test('a terminal has one line that is drawn again, and cleared for other output', () => {
  const { written, stderr } = stderrOf(true);
  const counts = showCounts({ stderr, env: {} });
  counts.start();
  counts.update(COUNTS);
  counts.clear();
  counts.update({ ...COUNTS, hitches: 1, fps: null });
  counts.ending(true);
  counts.update(COUNTS);
  counts.clear();
  assert.deepEqual(written, [
    '\r\x1b[KRecording. Close the window or press Ctrl-C to end.',
    '\r\x1b[KRecording 0 s  59.9 fps  2 hitches  Ctrl-C to end',
    '\r\x1b[K',
    '\r\x1b[KRecording 0 s  no frames yet  1 hitch  Ctrl-C to end',
    '\r\x1b[KReading the functions.',
    '\r\x1b[K',
  ]);
});

test('a narrow terminal cuts the line', () => {
  const { written, stderr } = stderrOf(true, 30);
  showCounts({ stderr, env: {} }).update(COUNTS);
  assert.deepEqual(written, ['\r\x1b[KRecording 0 s  59.9 fps  2 hi']);
});

test('without a terminal, and on a dumb one, only the start and the end are lines', () => {
  for (const [isTTY, env] of [
    [false, {}],
    [true, { TERM: 'dumb' }],
  ] as const) {
    const { written, stderr } = stderrOf(isTTY);
    const counts = showCounts({ stderr, env });
    counts.start();
    counts.update(COUNTS);
    counts.ending(false);
    counts.clear();
    assert.deepEqual(written, [
      'Recording. Close the window or press Ctrl-C to end.\n',
      'Ending the recording.\n',
    ]);
  }
});
