// From inactive to ended, on real processes: the start, the samples, and every ending.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  AGENT_LIMITS,
  AGENT_ROUTES,
  type Ending,
  LIVE_SUBPROTOCOL,
  type Status,
} from '@svc/contracts/agent';
import { type ProcessRecord, readVpt } from '@svc/trace';
import { Check } from 'typebox/value';
import { readViewer, StartError } from '../src/index.ts';
import { pinProcess } from '../src/target/pin-process.ts';
import {
  agentOptions,
  ask,
  assertNothingOpen,
  field,
  handshake,
  parseRaw,
  startTarget,
  startTestAgent,
  type TestAgent,
  temporaryFolder,
  tryToStart,
  until,
  vptOf,
  within,
} from './harness.ts';

async function statusOf(running: TestAgent): Promise<Status> {
  const { json } = await ask(running, 'GET', '/api/status');
  assert.ok(Check(AGENT_ROUTES.status.answer, json), `a status: ${JSON.stringify(json)}`);
  return json;
}

/** Waits for this number of samples in the recording, and returns the status. */
function afterSamples(running: TestAgent, count: number): Promise<Status> {
  return until(
    () => statusOf(running),
    ({ trace }) => trace?.origin === 'capture' && processRecords(trace.path ?? '').length >= count,
  );
}

function processRecords(path: string): ProcessRecord[] {
  return readVpt(readFileSync(path)).lines.filter((record) => record.type === 'process');
}

test('GET /api/status: inactive without a target, with every limit and every reason', async () => {
  await using running = await startTestAgent({ probes: ['stacks', 'files'] });
  const status = await statusOf(running);
  assert.equal(status.state, 'inactive');
  assert.deepEqual(
    [status.target, status.trace, status.metric, status.ended, status.recovered],
    [null, null, null, null, []],
  );
  assert.match(status.capabilities.capture.reason ?? '', /--pid/);
  assert.deepEqual(
    status.probes.map(({ id, state }) => `${id} ${state}`),
    ['stacks unavailable', 'files unavailable'],
  );
  const { storage_cap_bytes, import_bytes, ...fixed } = status.limits;
  const { storage_cap_bytes: _, import_bytes: __, ...wanted } = AGENT_LIMITS;
  assert.deepEqual(fixed, wanted);
  assert.deepEqual([storage_cap_bytes, import_bytes], [64 * 1024 * 1024, 64 * 1024 * 1024]);
  assert.equal(Date.parse(status.expires_at) - Date.parse(status.started_at), 3_600_000);
});

test('POST /api/start accepts no body or {}, needs a target, and works once', async () => {
  await using target = await startTarget();
  await using none = await startTestAgent();
  assert.equal((await ask(none, 'POST', '/api/start')).code, 'no_target');
  await using running = await startTestAgent({ pid: target.pid });
  for (const body of ['{"pid":1}', '[]', 'null', '{}{}', 'x', '0']) {
    assert.equal(
      (await ask(running, 'POST', '/api/start', { body })).code,
      'unexpected_body',
      body,
    );
    assert.equal((await ask(none, 'POST', '/api/start', { body })).code, 'unexpected_body', body);
  }
  const large = await ask(running, 'POST', '/api/start', { body: ' '.repeat(70_000) });
  assert.equal(large.code, 'payload_too_large');
  const before = await statusOf(running);
  assert.equal(before.state, 'inactive');
  assert.deepEqual(
    before.probes.map(({ id, state }) => `${id} ${state}`),
    ['process off', 'pss off'],
  );
  assert.deepEqual(before.capabilities.capture, { available: true });
  const odd = { headers: { 'content-type': 'nonsense' } };
  assert.equal((await ask(none, 'POST', '/api/start', odd)).code, 'no_target');
  const headers = { 'content-type': 'application/json' };
  const [one, two] = await Promise.all([
    ask(running, 'POST', '/api/start', { body: ' { } ', headers }),
    ask(running, 'POST', '/api/start'),
  ]);
  assert.deepEqual([one.status, two.code], [200, 'already_capturing']);
  assert.ok(Check(AGENT_ROUTES.start.answer, one.json));
  assert.equal(field(one.json, 'state'), 'capturing');
});

test('a capture samples CPU, RSS and PSS each second, and its file is the retained trace', async () => {
  await using target = await startTarget('busy');
  await using running = await startTestAgent({ pid: target.pid });
  await ask(running, 'POST', '/api/start');
  const status = await afterSamples(running, 4);
  assert.equal(status.state, 'capturing');
  assert.equal(status.target?.pid, target.pid);
  assert.equal(status.target?.name, 'node');
  assert.equal(status.version, '0.0.0-test');
  assert.deepEqual(status.ended, null);
  assert.deepEqual(status.probes[0], { id: 'process', state: 'running' });
  assert.ok(status.trace?.partial);
  const recording = status.trace?.path ?? '';
  assert.match(recording, new RegExp(`/traces/\\d{8}T\\d{6}Z-node-${target.pid}\\.vpt\\.partial$`));
  assert.equal(statSync(recording).mode & 0o777, 0o600);
  assert.equal(statSync(`${running.dataDir}/traces`).mode & 0o777, 0o700);
  const exported = await ask(running, 'GET', '/api/trace');
  assert.equal(exported.headers['svc-trace-partial'], 'true');
  const off = await ask(running, 'POST', '/api/off');
  assert.ok(Check(AGENT_ROUTES.off.answer, off.json));
  const path = String(field(off.json, 'trace', 'path'));
  assert.deepEqual(off.json, {
    reason: 'off',
    trace: { path, bytes: statSync(path).size, truncated: false },
  });
  assert.equal(path, recording.replace('.partial', ''));
  assert.ok(
    readFileSync(path, 'utf8').startsWith(exported.text),
    'an export is the beginning of the file',
  );
  const trace = readVpt(readFileSync(path));
  assert.equal(trace.end?.reason, 'off');
  assert.deepEqual(trace.header.target, status.target);
  const [first, ...later] = processRecords(path);
  assert.equal(first?.cpu_percent, undefined, 'CPU is a difference');
  assert.ok(later.length >= 3);
  for (const [i, record] of later.entries()) {
    const cpu = record.cpu_percent ?? Number.NaN;
    assert.ok(cpu > 1 && cpu < 130, `about half a core, or less on a loaded machine: ${cpu}`);
    assert.ok(record.rss_bytes > 32e6 && record.rss_bytes < 1e9);
    assert.ok((record.pss_bytes ?? 0) > 32e6 && (record.pss_bytes ?? 0) <= record.rss_bytes);
    assert.ok((record.pss_cost_ms ?? 0) > 0);
    assert.ok(record.t > ([first, ...later][i]?.t ?? 0), 'time goes on');
  }
  assert.deepEqual(readdirSync(running.dataDir), ['traces'], 'nothing but the recordings stays');
});

test('--pss-interval: PSS is read less often and has its age; CPU and RSS are never skipped', async () => {
  await using target = await startTarget();
  await using running = await startTestAgent({ pid: target.pid, pssIntervalMs: 60_000 });
  await ask(running, 'POST', '/api/start');
  const { metric, trace } = await afterSamples(running, 3);
  assert.ok(metric !== null && (metric.pss_age_ms ?? 0) > 500);
  const records = processRecords(trace?.path ?? '');
  assert.equal(new Set(records.flatMap(({ pss_bytes }) => pss_bytes ?? [])).size, 1);
  for (const { rss_bytes } of records) assert.ok(rss_bytes > 0);
});

test('the exit of the target ends the session at once, capturing or not', async () => {
  for (const capturing of [false, true]) {
    const target = await startTarget();
    await using running = await startTestAgent({ pid: target.pid });
    if (capturing) {
      await ask(running, 'POST', '/api/start');
      await afterSamples(running, 1);
    }
    await target[Symbol.asyncDispose]();
    const ending = await within(running.agent.ended, 'the ending');
    assert.equal(ending.reason, 'target_exit');
    assert.equal(ending.trace !== null, capturing);
    if (ending.trace !== null) {
      assert.equal(readVpt(readFileSync(ending.trace.path)).end?.reason, 'target_exit');
    }
  }
});

test('after exec, the status and the recording have the new name of the process', async () => {
  const child = spawn('sh', ['-c', 'read -r _; exec sleep 1000'], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  await within(once(child, 'spawn'), 'the target to run');
  const { pid = 0 } = child;
  try {
    await using running = await startTestAgent({ pid });
    assert.equal((await statusOf(running)).target?.name, 'sh');
    child.stdin.end('\n');
    const { target } = await until(
      () => statusOf(running),
      (status) => status.target?.name === 'sleep',
      'the new name is seen',
      20_000,
    );
    assert.equal(target?.pid, pid);
    await ask(running, 'POST', '/api/start');
    const { trace } = await afterSamples(running, 1);
    assert.match(trace?.name ?? '', new RegExp(`-sleep-${pid}\\.vpt$`));
  } finally {
    child.kill('SIGKILL');
  }
});

test('a zombie whose parent does not wait counts as exited', async () => {
  await using parent = await startTarget();
  const code = `const { spawn } = require('node:child_process');
    const child = spawn('sleep', ['60']); console.log(child.pid);
    process.kill(process.pid, 'SIGSTOP');`;
  const { spawn } = await import('node:child_process');
  const stopped = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = await within(once(stopped.stdout, 'data'), 'the parent to run');
  const pid = Number(String(line));
  await until(
    () => readFileSync(`/proc/${stopped.pid}/stat`, 'latin1'),
    (stat) => / T /.test(stat),
  );
  try {
    await using running = await startTestAgent({ pid });
    process.kill(pid, 'SIGKILL');
    assert.equal((await within(running.agent.ended, 'the ending')).reason, 'target_exit');
    assert.ok(statSync(`/proc/${pid}`).isDirectory(), 'its entry still stands');
    assert.throws(() => pinProcess(pid), { code: 'no_such_process', message: /it has exited$/ });
  } finally {
    const exit = once(stopped, 'exit');
    stopped.kill('SIGKILL');
    await within(exit, 'the parent to exit');
  }
  assert.ok(parent.pid > 0);
});

test('a reading of PSS that is blocked in the kernel does not prevent the end of a recording', async () => {
  using folder = temporaryFolder();
  const gate = join(folder.path, 'gate');
  assert.equal(spawnSync('mkfifo', [gate]).status, 0);
  const worker = `import { openSync } from 'node:fs';
    import { parentPort } from 'node:worker_threads';
    parentPort.on('message', () => openSync(${JSON.stringify(gate)}, 'r'));
    parentPort.postMessage('ready');`;
  const workerUrl = new URL(`data:text/javascript,${encodeURIComponent(worker)}`);
  await using target = await startTarget();
  await using running = await startTestAgent({ pid: target.pid, workerUrl });
  await ask(running, 'POST', '/api/start');
  await afterSamples(running, 1);
  running.agent.end('off');
  const { trace } = await within(running.agent.ended, 'the ending');
  // Lets the thread continue, so that it can end.
  closeSync(openSync(gate, 'r+'));
  assert.match(trace?.path ?? '', /\.vpt$/);
});

test('TTL and signal end the session with their reason; during the end the API refuses with it', async () => {
  await using target = await startTarget();
  await using short = await startTestAgent({ pid: target.pid, ttlMs: 300 });
  assert.deepEqual(await within(short.agent.ended, 'the ending'), {
    reason: 'ttl',
    trace: null,
  } satisfies Ending);

  await using running = await startTestAgent({ pid: target.pid });
  await ask(running, 'POST', '/api/start');
  await afterSamples(running, 1);
  running.agent.end('signal');
  const later = running.agent.endAtOnce('off');
  assert.equal((await ask(running, 'GET', '/api/status')).code, 'shutting_down');
  assert.equal((await ask(running, 'GET', '/api/status', { token: null })).code, 'unauthenticated');
  const ending = await within(running.agent.ended, 'the ending');
  assert.equal(ending.reason, 'signal', 'the first reason stands');
  assert.equal(readVpt(readFileSync(ending.trace?.path ?? '')).end?.reason, 'signal');
  assert.equal((await later).ending.reason, 'signal');
  assert.deepEqual(await running.agent.endAtOnce('off'), { ending, finished: true });
  await assert.rejects(ask(running, 'GET', '/api/status'), /ECONNREFUSED/);
});

test("the end waits 5 s for a recording that can't be finished, or half a second if hurried", async (t) => {
  await using target = await startTarget();
  t.mock.timers.enable({ apis: ['setTimeout'] });
  await using running = await startTestAgent({ pid: target.pid });
  using _ = { [Symbol.dispose]: () => t.mock.timers.reset() };
  assert.equal((await ask(running, 'POST', '/api/start')).status, 200);
  using syncs = await holdSyncs(t);
  const over: string[] = [];
  void running.agent.ended.then(({ reason }) => over.push(`ended by ${reason}`));
  running.agent.end('off');
  const atOnce = running.agent.endAtOnce('signal');
  void atOnce.then(({ finished }) => over.push(`at once, ${finished ? '' : 'not '}finished`));
  await within(syncs.tried, 'the recording to be synced');
  t.mock.timers.tick(499);
  await turns();
  assert.deepEqual(over, []);
  const offer = `Sec-WebSocket-Protocol: ${LIVE_SUBPROTOCOL}, ${running.agent.token}`;
  const live = connect(running.port, '127.0.0.1');
  t.after(() => live.destroy());
  live.write(handshake(running.port, [offer]));
  const [refusal] = await within(once(live, 'data'), 'the answer to the handshake');
  assert.equal(parseRaw(String(refusal)).code, 'shutting_down');
  t.mock.timers.tick(1);
  const { ending } = await within(atOnce, 'the ending at once');
  assert.equal(ending.reason, 'off');
  assert.match(ending.trace?.path ?? '', /\.partial$/);
  t.mock.timers.tick(4_499);
  await turns();
  assert.deepEqual(over, ['at once, not finished']);
  t.mock.timers.tick(1);
  assert.deepEqual(await within(running.agent.ended, 'the ending'), ending);
});

/** Blocks every sync of a file until disposed of. `tried` resolves at the first one. */
async function holdSyncs(t: TestContext): Promise<Disposable & { readonly tried: Promise<void> }> {
  const first = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  await using handle = await open('/dev/null');
  const { mock } = t.mock.method(Object.getPrototypeOf(handle), 'sync', () => {
    first.resolve();
    return gate.promise;
  });
  return {
    tried: first.promise,
    [Symbol.dispose]: () => {
      mock.restore();
      gate.resolve();
    },
  };
}

/** Lets work continue that waits only for its turn. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
}

test('startAgent rejects before anything listens, with a reason', async () => {
  using folder = temporaryFolder();
  await using target = await startTarget();
  const { pid } = target;
  const gone = await startTarget();
  await gone[Symbol.asyncDispose]();
  const { writeFileSync } = await import('node:fs');
  const bad = `${folder.path}/bad.vpt`;
  writeFileSync(
    bad,
    '{"vpt":1,"producer":{"name":"x","version":"1"},"started_at":null,"sources":["native"]}\n{"type":"mark","t":1,"name":7}\n',
  );
  const good = `${folder.path}/good.vpt`;
  writeFileSync(good, vptOf());
  await using busy = await startTestAgent();
  const rows: [string, Parameters<typeof agentOptions>[1], RegExp][] = [
    ['no_such_process', { pid: gone.pid }, new RegExp(String(gone.pid))],
    ['no_such_process', { pid: 2 ** 30 }, /no such process/],
    ['no_such_process', { pid: threadOf(pid) }, new RegExp(`a thread of process ${pid}$`)],
    [
      'port_busy',
      { port: busy.port, pid },
      new RegExp(`${busy.port}.*another program uses.*--port`),
    ],
    ['invalid_file', { file: bad, pid }, /bad\.vpt:2:\d+: /],
    ['port_busy', { port: busy.port, file: good }, /Cannot listen on 127\.0\.0\.1:/],
    ['unreadable_file', { file: `${folder.path}/none.vpt` }, /none\.vpt/],
    ['unreadable_file', { file: folder.path }, /not a regular file/],
    ['viewer_missing', { viewer: () => readViewer(`${folder.path}/nowhere`) }, /nowhere/],
    ['data_dir_unusable', { dataDir: `${bad}/data` }, /bad\.vpt/],
    ['invalid_option', { ttlMs: 24 * 3_600_000 + 1 }, /--ttl/],
    ['invalid_option', { storageCapBytes: 4096 }, /--storage-cap/],
    ['invalid_option', { pssIntervalMs: 10 }, /--pss-interval/],
  ];
  for (const [code, more, message] of rows) {
    await assert.rejects(tryToStart(agentOptions(folder.path, more)), (error) => {
      assert.ok(error instanceof StartError, String(error));
      assert.equal(error.code, code);
      assert.match(error.message, message);
      return true;
    });
  }
  await assertNothingOpen(folder.path);
});

/** The id of a thread of the process that is not its main thread. */
function threadOf(pid: number): number {
  const thread = readdirSync(`/proc/${pid}/task`).find((id) => id !== String(pid));
  return Number(thread ?? assert.fail('it has one thread'));
}

test('a token has 256 bits, is new at each start, and its first use is reported', async () => {
  await using one = await startTestAgent();
  await using two = await startTestAgent();
  assert.match(one.agent.token, /^[A-Za-z0-9_-]{43}$/);
  assert.notEqual(one.agent.token, two.agent.token);
  let heard = false;
  void one.agent.authenticated.then(() => {
    heard = true;
  });
  await ask(one, 'GET', '/', { token: null });
  await ask(one, 'GET', '/api/status', { token: two.agent.token });
  assert.equal(heard, false);
  await ask(one, 'GET', '/api/status');
  await within(one.agent.authenticated, 'the request to be heard of');
});
