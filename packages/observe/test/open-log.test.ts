// The log of a program: its lines, at its exit, and with a reader that stalls or leaves.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const PROGRAM = join(import.meta.dirname, 'log-program.ts');

function write(settings: Readonly<Record<string, string>>): string {
  const { status, stderr, stdout } = spawnSync(process.execPath, [PROGRAM, 'levels'], {
    ...{ encoding: 'utf8', timeout: 30_000, env: settings },
  });
  assert.deepEqual([status, stdout], [0, '']);
  return stderr;
}

test('lines are JSON if standard error is no terminal, and all are written before the program exits', () => {
  const lines = write({})
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const { time } of lines) {
    assert.ok(Math.abs(Date.parse(time) - Date.now()) < 60_000);
    assert.match(time, /^\d{4}-\d\d-\d\dT.*Z$/);
  }
  assert.deepEqual(
    lines.map(({ time: _, ...line }) => line),
    [
      { level: 'info', msg: 'an info line', route: '/me', status: 200 },
      { level: 'warn', msg: 'a warning' },
      { level: 'error', msg: 'a fault', error: 'Error: x' },
    ],
  );
});

test('lines below the level are not written, and text is written if it is wanted', () => {
  const messages = (text: string) => [...text.matchAll(/"msg":"([^"]*)"/g)].map(([, name]) => name);
  assert.deepEqual(messages(write({ SVC_LOG_LEVEL: 'debug' }))[0], 'a debug line');
  assert.deepEqual(messages(write({ SVC_LOG_LEVEL: 'error' })), ['a fault']);
  const text = write({ SVC_LOG_FORMAT: 'text' });
  assert.match(
    text,
    /^\d\d:\d\d:\d\d an info line route=\/me status=200\n.* warning: a warning\n.* internal error: a fault\nError: x\n$/,
  );
});

test('a reader that stalls does not stop the program; lines beyond a bound are dropped, and counted', async () => {
  // Twice what may wait.
  const count = 32_000;
  const child = spawn(process.execPath, [PROGRAM, 'many', String(count)], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  await once(child.stdout, 'data', { signal: AbortSignal.timeout(30_000) });
  const chunks: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stdin.write('go on\n');
  await once(child, 'close', { signal: AbortSignal.timeout(60_000) });
  const lines = Buffer.concat(chunks).toString().trimEnd().split('\n');
  const parsed = lines.map((line) => JSON.parse(line));
  const numbered = parsed.filter(({ line }) => line !== undefined);
  const dropped = parsed.filter(({ msg }) => /were dropped/.test(msg));
  assert.equal(numbered[0]?.line, 0);
  assert.ok(numbered.length > 1000 && numbered.length < count, String(numbered.length));
  const lost = dropped.reduce((sum, { lines: some }) => sum + some, 0);
  const isLate = parsed.some(({ msg }) => msg === 'still alive') ? 0 : 1;
  assert.equal(numbered.length + lost, count + isLate);
});

test('a reader that leaves does not end the program', async () => {
  const child = spawn(process.execPath, [PROGRAM, 'many', '3000'], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stderr.destroy();
  await once(child.stdout, 'data', { signal: AbortSignal.timeout(30_000) });
  child.stdin.write('go on\n');
  const [code] = await once(child, 'close', { signal: AbortSignal.timeout(60_000) });
  assert.equal(code, 0);
});

test('a program ends in time if nobody reads its log, and if the disk of the log is full', async (t) => {
  const full = openSync('/dev/full', 'w');
  t.after(() => closeSync(full));
  for (const log of ['pipe', full] as const) {
    const child = spawn(process.execPath, [PROGRAM, 'exit', '3000'], {
      stdio: ['ignore', 'pipe', log],
    });
    const [code] = await once(child, 'exit', { signal: AbortSignal.timeout(30_000) });
    assert.equal(code, 0, String(log));
  }
});
