// What a session writes: the cap, a full disk, and what remains after SIGKILL.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readVpt } from '@svc/trace';
import { startRecording } from '../src/capture/recording.ts';
import {
  agentOptions,
  ask,
  clientOf,
  field,
  startAgentProcess,
  startTarget,
  startTestAgent,
  temporaryFolder,
  until,
  vptOf,
  within,
} from './harness.ts';

const TARGET = { pid: 7, name: 'gam e/ä', started_at: '2026-01-01T00:00:00.000Z' };

test('Recording: the cap limits the file including its end, which is loss and then end', async () => {
  using folder = temporaryFolder();
  const capBytes = 16 * 1024;
  const recording = await startRecording({
    place: { dataDir: folder.path },
    target: TARGET,
    startedAt: new Date('2026-02-03T04:05:06.789Z'),
    version: '1',
    capBytes,
  });
  assert.match(recording.summary.path ?? '', /20260203T040506Z-gam_e__-7\.vpt\.partial$/);
  for (let t = 0; t < 1000; t++) recording.append({ type: 'mark', t, name: 'x'.repeat(50) });
  const written = await recording.finish('off', 1000);
  await recording.release();
  assert.equal(written.truncated, true);
  assert.equal(written.bytes, statSync(written.path).size);
  assert.ok(written.bytes <= capBytes && written.bytes > capBytes - 4096 - 200);
  const { lines, end } = readVpt(readFileSync(written.path));
  assert.equal(end?.reason, 'storage_cap');
  assert.deepEqual(
    lines.slice(-2).map((line) => line.type),
    ['loss', 'end'],
  );
  assert.deepEqual(readdirSync(folder.path), ['traces']);
  assert.equal(readdirSync(join(folder.path, 'traces')).length, 1);
});

test('Recording: two at the same second have different names, and an old one is never replaced', async () => {
  using folder = temporaryFolder();
  const options = {
    place: { dataDir: folder.path },
    target: TARGET,
    startedAt: new Date(0),
    version: '1',
    capBytes: 16 * 1024,
  };
  const recordings = await Promise.all([startRecording(options), startRecording(options)]);
  for (const recording of recordings) await recording.finish('off', 1);
  const third = await startRecording(options);
  await third.finish('off', 1);
  for (const recording of [...recordings, third]) await recording.release();
  const stem = '19700101T000000Z-gam_e__-7';
  assert.deepEqual(
    readdirSync(join(folder.path, 'traces')).sort(),
    ['-2.vpt', '-3.vpt', '.vpt'].map((ending) => stem + ending),
  );
});

test('over the cap: the status and the ending report truncated, and live metrics continue', async () => {
  await using target = await startTarget();
  // The header nearly fills the cap, so that a few samples exceed it.
  const version = 'x'.repeat(3_500);
  await using running = await startTestAgent({ pid: target.pid, storageCapBytes: 8192, version });
  await ask(running, 'POST', '/api/start');
  const status = () => ask(running, 'GET', '/api/status');
  const over = await until(status, ({ json }) => field(json, 'trace', 'truncated') === true);
  assert.equal(field(over.json, 'state'), 'capturing');
  assert.equal(field(over.json, 'limits', 'storage_cap_bytes'), 8192);
  const t = Number(field(over.json, 'metric', 't'));
  await until(status, ({ json }) => Number(field(json, 'metric', 't')) > t, 'metrics to go on');
  const exported = await ask(running, 'GET', '/api/trace');
  assert.match(exported.text, /"loss".*"storage_cap".*\n.*"end"/);
  assert.equal(exported.headers['svc-trace-partial'], 'true', 'the capture goes on');
  const range = await ask(running, 'GET', '/api/trace', { headers: { range: 'bytes=10-' } });
  assert.deepEqual([range.status, range.headers['svc-trace-partial']], [206, 'true']);
  assert.equal(field((await status()).json, 'trace', 'partial'), true);
  const { json } = await ask(running, 'POST', '/api/off');
  assert.equal(field(json, 'trace', 'truncated'), true);
  const path = String(field(json, 'trace', 'path'));
  assert.ok(statSync(path).size <= 8192);
  assert.equal(readVpt(readFileSync(path)).end?.reason, 'storage_cap');
});

test('SIGKILL: the recording remains and is offered to the next session, but not while its agent runs', async () => {
  using folder = temporaryFolder();
  await using target = await startTarget();
  const options = agentOptions(folder.path, { pid: target.pid });
  let path = '';
  {
    await using running = await startAgentProcess(options);
    const { origin, token } = running.listening;
    const client = clientOf({ origin, token });
    await client.call('start', {});
    const { trace } = await until(
      () => client.call('status', {}),
      (status) => (status.trace?.records ?? 0) >= 3,
    );
    path = trace?.path ?? '';
    await using other = await startTestAgent({ dataDir: options.dataDir });
    assert.deepEqual(other.agent.recovered, [], 'a living agent holds it');
    const exit = once(running.child, 'exit');
    running.child.kill('SIGKILL');
    await within(exit, 'the agent to exit');
  }
  const left = readVpt(readFileSync(path));
  assert.ok(left.records >= 3);
  assert.deepEqual([left.end, left.torn_bytes], [null, 0]);
  assert.deepEqual(readdirSync(options.dataDir), ['traces'], 'no lock and no reserve is left');
  for (let again = 0; again < 2; again++) {
    await using next = await startTestAgent({ dataDir: options.dataDir });
    assert.deepEqual(
      next.agent.recovered.map((trace) => [trace.path, trace.bytes]),
      [[path, statSync(path).size]],
    );
    const { json } = await ask(next, 'GET', '/api/status');
    assert.deepEqual(field(json, 'recovered'), next.agent.recovered);
  }
  await using opened = await startTestAgent({ file: path });
  assert.equal(field((await ask(opened, 'GET', '/api/status')).json, 'trace', 'partial'), true);
});

test('a recording whose folder is deleted is written again at its end', async () => {
  await using target = await startTarget();
  await using running = await startTestAgent({ pid: target.pid });
  await ask(running, 'POST', '/api/start');
  rmSync(running.dataDir, { recursive: true });
  const { json } = await ask(running, 'POST', '/api/off');
  const path = String(field(json, 'trace', 'path'));
  assert.match(path, /-node-\d+\.vpt$/);
  assert.deepEqual(
    [field(json, 'trace', 'bytes'), field(json, 'trace', 'truncated')],
    [statSync(path).size, false],
  );
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(readVpt(readFileSync(path)).end?.reason, 'off');
});

test('a recording that was moved is reported at its current path, under its final name', async () => {
  await using target = await startTarget();
  const moves: ((dataDir: string, partial: string) => string)[] = [
    (dataDir, partial) => {
      const moved = join(dataDir, 'mine.vpt.partial');
      renameSync(partial, moved);
      // Another file now has its name, and is not taken for it.
      writeFileSync(partial, 'not this one');
      return join(dataDir, 'mine.vpt');
    },
    (dataDir, partial) => {
      renameSync(partial, join(dataDir, 'kept'));
      return join(dataDir, 'kept');
    },
    (dataDir) => {
      renameSync(join(dataDir, 'traces'), join(dataDir, 'older'));
      return join(dataDir, 'older');
    },
  ];
  for (const move of moves) {
    await using running = await startTestAgent({ pid: target.pid });
    await ask(running, 'POST', '/api/start');
    const status = () => ask(running, 'GET', '/api/status');
    const { json: before } = await until(
      status,
      ({ json }) => Number(field(json, 'trace', 'records')) > 0,
    );
    const partial = String(field(before, 'trace', 'path'));
    const wanted = move(running.dataDir, partial);
    const { json } = await ask(running, 'POST', '/api/off');
    const path = String(field(json, 'trace', 'path'));
    assert.ok(path.startsWith(wanted) && !path.endsWith('.partial'), `${path}, not ${wanted}`);
    assert.equal(statSync(path).size, field(json, 'trace', 'bytes'));
    assert.equal(readVpt(readFileSync(path)).end?.reason, 'off');
    if (existsSync(partial)) assert.equal(readFileSync(partial, 'utf8'), 'not this one');
  }
});

test('a data folder that others can write to is also refused at the start of a recording', async () => {
  await using target = await startTarget();
  await using running = await startTestAgent({ pid: target.pid });
  chmodSync(running.dataDir, 0o777);
  const refused = await ask(running, 'POST', '/api/start');
  assert.equal(refused.code, 'storage_full');
  assert.match(refused.text, /Cannot record: Other users can write to the folder .* chmod go-w /);
  chmodSync(running.dataDir, 0o700);
  assert.equal((await ask(running, 'POST', '/api/start')).status, 200);
});

test("a recording that can't be written anywhere ends without a failure, and is reported as truncated", async () => {
  await using target = await startTarget();
  await using running = await startTestAgent({ pid: target.pid });
  await ask(running, 'POST', '/api/start');
  rmSync(running.dataDir, { recursive: true });
  writeFileSync(running.dataDir, 'a file with this name exists');
  const { json } = await ask(running, 'POST', '/api/off');
  assert.match(String(field(json, 'trace', 'path')), /\.partial$/);
  assert.equal(field(json, 'trace', 'truncated'), true);
});

test('a deleted data folder is created again; if that fails, the request is answered with 507', async () => {
  await using target = await startTarget();
  await using running = await startTestAgent({ pid: target.pid });
  rmSync(running.dataDir, { recursive: true });
  const body = vptOf({ type: 'mark', t: 1, name: 'here' });
  assert.equal((await ask(running, 'POST', '/api/trace', { body })).status, 200);
  rmSync(running.dataDir, { recursive: true });
  writeFileSync(running.dataDir, 'a file with this name exists');
  for (const path of ['/api/trace', '/api/start']) {
    const { code, text } = await ask(running, 'POST', path, path === '/api/trace' ? { body } : {});
    assert.equal(code, 'storage_full', text);
    assert.match(text, /the data folder is gone, or cannot be written to/);
  }
  assert.equal((await ask(running, 'GET', '/api/trace')).text, body, 'the one before is kept');
  rmSync(running.dataDir);
  assert.equal((await ask(running, 'POST', '/api/start')).status, 200);
});

/** Runs a program of the tests with a 1 MiB file system mounted. Null if the kernel refuses. */
function inSmallDisk(
  program: string,
  options: unknown,
): { status: number | null; out: string } | null {
  using folder = temporaryFolder();
  const disk = join(folder.path, 'disk');
  mkdirSync(disk);
  const mount = ['mount', '-t', 'tmpfs', '-o', 'size=1m', 'none', disk];
  const may = spawnSync('unshare', ['-m', ...mount], { encoding: 'utf8' });
  if (may.status !== 0) return null;
  const run = spawnSync(
    'unshare',
    [
      '-m',
      'sh',
      '-c',
      `${mount.join(' ')} && exec "$0" "$@"`,
      process.execPath,
      join(import.meta.dirname, program),
      JSON.stringify(options),
      disk,
    ],
    { encoding: 'utf8', timeout: 90_000 },
  );
  return { status: run.status, out: `${run.stdout}${run.stderr}` };
}

test('a full disk ends the recording with loss and end, keeps the live view, and refuses imports', async (t) => {
  using folder = temporaryFolder();
  await using target = await startTarget();
  const result = inSmallDisk(
    'full-disk-program.ts',
    agentOptions(folder.path, { pid: target.pid }),
  );
  if (result === null) {
    t.skip('kernel: no private mount namespace');
    return;
  }
  assert.equal(result.status, 0, result.out);
  assert.match(result.out, /full disk: all held/);
});

test('a left-over file that is empty or not a recording is not offered', async () => {
  using folder = temporaryFolder();
  const traces = join(folder.path, 'traces');
  mkdirSync(traces, { recursive: true });
  writeFileSync(join(traces, 'empty.vpt.partial'), '');
  writeFileSync(join(traces, 'whole.vpt'), 'x');
  writeFileSync(join(traces, 'other.txt'), 'x');
  mkdirSync(join(traces, 'folder.vpt.partial'));
  symlinkSync(join(traces, 'whole.vpt'), join(traces, 'link.vpt.partial'));
  await using running = await startTestAgent({ dataDir: folder.path });
  assert.deepEqual(running.agent.recovered, []);
});
