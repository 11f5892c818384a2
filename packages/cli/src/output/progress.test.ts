// Progress of a transfer: a line that is redrawn on a terminal, and occasional lines without one.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { formatProgress, showProgress } from './progress.ts';
import { startSpinner } from './spinner.ts';

const MIB = 1024 * 1024;

function clock(t: TestContext): { pass(ms: number): void } {
  let now = 5000;
  t.mock.method(performance, 'now', () => now);
  return {
    pass(ms) {
      now += ms;
    },
  };
}

const sink = (terminal: { isTTY?: boolean; columns?: number } = {}) =>
  Object.assign(new PassThrough({ encoding: 'utf8' }), terminal);

test('showProgress redraws a line on a terminal at most every tenth of a second, and removes it', (t) => {
  const { pass } = clock(t);
  const terminal = sink({ isTTY: true, columns: 28 });
  const progress = showProgress(terminal, 'Uploading', 100, 'xterm');
  const seen = (): string => terminal.read() ?? '';
  progress.update(0);
  assert.equal(seen(), '\r\x1b[KUploading 0 %  0 B of 100 B');
  pass(99);
  progress.update(10);
  assert.equal(seen(), '');
  pass(1);
  progress.update(10);
  assert.equal(seen(), '\r\x1b[KUploading 10 %  10 B of 100');
  progress.end();
  assert.equal(seen(), '\r\x1b[K');
  progress.end();
  assert.equal(seen(), '');
  const narrow = sink({ isTTY: true, columns: 5 });
  showProgress(narrow, 'Uploading', 100, 'xterm').update(0);
  assert.equal(narrow.read(), '\r\x1b[KUploading 0 %  0 B o');
});

test('showProgress writes a line every ten seconds without a terminal, and none for a small transfer', (t) => {
  const { pass } = clock(t);
  for (const [terminal, term] of [
    [sink(), 'xterm'],
    [sink({ isTTY: true }), 'dumb'],
  ] as const) {
    const progress = showProgress(terminal, 'Packing', 8 * MIB, term);
    progress.update(1);
    pass(9_999);
    progress.update(4 * MIB);
    assert.equal(terminal.read(), null);
    pass(1);
    progress.update(4 * MIB);
    assert.equal(terminal.read(), 'Packing 50 %  4.0 MiB of 8.0 MiB  410 KiB/s  10 s left\n');
    progress.end();
    assert.equal(terminal.read(), null);
    const small = showProgress(terminal, 'Packing', 8 * MIB - 1, term);
    pass(60_000);
    small.update(1);
    assert.equal(terminal.read(), null);
  }
});

test('formatProgress shows percentage, rate and time left if they are known', () => {
  const rows: [bytes: number, total: number, ms: number, text: string][] = [
    [0, 0, 0, 'x 100 %  0 B of 0 B'],
    [999, 1000, 500, 'x 99 %  999 B of 1000 B'],
    [500, 1000, 501, 'x 50 %  500 B of 1000 B  998 B/s  1 s left'],
    [0, 1000, 1000, 'x 0 %  0 B of 1000 B'],
    [1100, 1000, 1000, 'x 100 %  1.1 KiB of 1000 B  1.1 KiB/s  0 ms left'],
    [MIB, 4 * MIB, 61_000, 'x 25 %  1.0 MiB of 4.0 MiB  16.8 KiB/s  3 min 3 s left'],
  ];
  for (const [bytes, total, ms, text] of rows) {
    assert.equal(formatProgress('x', bytes, total, ms), text);
  }
});

test('startSpinner shows nothing without a terminal, on a dumb terminal and with NO_COLOR', (t) => {
  const { pass } = clock(t);
  t.mock.timers.enable({ apis: ['setInterval'] });
  const rows: [terminal: { isTTY?: boolean }, env: Record<string, string>, shown: boolean][] = [
    [{ isTTY: true }, {}, true],
    [{ isTTY: true }, { NO_COLOR: '', TERM: 'xterm' }, true],
    [{ isTTY: true }, { NO_COLOR: '1' }, false],
    [{ isTTY: true }, { TERM: 'dumb' }, false],
    [{}, {}, false],
  ];
  for (const [terminal, env, shown] of rows) {
    const stderr = sink(terminal);
    const spinner = startSpinner({ stderr, env }, 'Waiting');
    pass(2000);
    t.mock.timers.tick(125);
    const text = stderr.read() ?? '';
    assert.equal(text, shown ? '\r\x1b[K| Waiting  2 s' : '', JSON.stringify(env));
    spinner[Symbol.dispose]();
    assert.equal(stderr.read(), shown ? '\r\x1b[K' : null);
  }
});
