// `svc dashboard` as a process: its output, its end, and failures to start.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Status } from '@svc/contracts/agent';
import { Check, Parse } from 'typebox/value';
import { until } from '../../../scripts/until.ts';
import { asStranger } from './as-stranger.ts';
import {
  type Dashboard,
  followDashboard,
  type Listening,
  startDashboard,
} from './start-dashboard.ts';
import { bareEnvironment, finish, runSvc, SVC, startSvc, temporaryFolder } from './svc.ts';
import { openTerminal } from './terminal.ts';

/** An idle process to watch. */
function startTarget(t: TestContext): number {
  const target = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
    stdio: 'ignore',
  });
  t.after(() => target.kill('SIGKILL'));
  return target.pid ?? 0;
}

async function firstSample(call: Dashboard['call']): Promise<void> {
  await until(
    async () => (await call('GET', '/api/status')).json(),
    (status: unknown) => Check(Status, status) && status.metric !== null,
    'the first sample was taken',
  );
}

async function takePort(t: TestContext): Promise<number> {
  const server = createServer((_, response) => response.end('occupied'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

test('svc dashboard --json prints the address and the process in its first line', async (t) => {
  const pid = startTarget(t);
  const { listening, call, child, ended } = await startDashboard(t, [
    '--pid',
    String(pid),
    '--ttl',
    '2h',
  ]);
  assert.deepEqual(Object.keys(listening), [
    'event',
    'url',
    'origin',
    'token',
    'target',
    'expires_at',
  ]);
  assert.equal(listening.event, 'listening');
  assert.match(listening.origin, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.match(listening.token, /^[A-Za-z0-9_-]{43}$/);
  assert.equal(listening.url, `${listening.origin}/#token=${listening.token}`);
  assert.equal(listening.target?.pid, pid);
  const left = Date.parse(listening.expires_at) - Date.now();
  assert.ok(left > 3_600_000 && left <= 7_200_000, listening.expires_at);
  assert.equal((await call('GET', '/api/status')).status, 200);
  assert.equal((await fetch(listening.origin)).status, 200);
  const page = await (await fetch(listening.origin)).text();
  assert.ok(!page.includes(listening.token));
  child.kill('SIGTERM');
  assert.equal((await ended).code, 0);
});

test('svc dashboard exits with 0 after each signal, and reports the end last', async (t) => {
  const asked = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const others = ['SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGALRM', 'SIGXCPU'] as const;
  for (const signal of [...asked, ...others]) {
    const { child, ended, listening } = await startDashboard(t, []);
    assert.equal(listening.target, null);
    const left = Date.parse(listening.expires_at) - Date.now();
    assert.ok(left > 7 * 3_600_000 && left <= 8 * 3_600_000, listening.expires_at);
    child.kill(signal);
    const { code, last, lines } = await ended;
    assert.deepEqual([code, lines], [0, 2], signal);
    assert.deepEqual(last, { event: 'ended', reason: 'signal', trace: null });
    await assert.rejects(fetch(listening.origin));
  }
});

test('svc dashboard ends after POST /api/off, after its time limit, and when the process exits', async (t) => {
  const off = await startDashboard(t, []);
  assert.equal((await off.call('POST', '/api/off')).status, 200);
  const byOff = await off.ended;
  assert.deepEqual([byOff.code, byOff.last['reason']], [0, 'off']);
  const ttl = await startDashboard(t, ['--ttl', '1s']);
  const byTtl = await ttl.ended;
  assert.deepEqual([byTtl.code, byTtl.last['reason']], [0, 'ttl']);
  const pid = startTarget(t);
  const exit = await startDashboard(t, ['--pid', String(pid)]);
  process.kill(pid, 'SIGKILL');
  const byExit = await exit.ended;
  assert.deepEqual([byExit.code, byExit.last['reason']], [0, 'target_exit']);
});

test('svc dashboard keeps the recording, and its ending names the file', async (t) => {
  const home = temporaryFolder(t);
  const pid = startTarget(t);
  const { call, child, ended } = await startDashboard(t, ['--pid', String(pid)], { HOME: home });
  assert.equal((await call('POST', '/api/start')).status, 200);
  await firstSample(call);
  child.kill('SIGUSR2');
  const { code, last } = await ended;
  assert.equal(code, 0);
  const trace = last['trace'] as { path: string; bytes: number; truncated: boolean };
  assert.ok(trace.path.startsWith(join(home, '.local/share/svc/traces/')), trace.path);
  assert.equal(statSync(trace.path).size, trace.bytes);
  assert.equal(statSync(trace.path).mode & 0o777, 0o600);
  assert.equal(statSync(join(home, '.local/share/svc')).mode & 0o777, 0o700);
  assert.equal(trace.truncated, false);
  const check = await runSvc(t, ['trace', 'check', trace.path]);
  assert.equal(check.code, 0, check.stderr);
});

test('svc dashboard exits at once after a second signal, and names the file of the recording', async (t) => {
  const pid = startTarget(t);
  const { call, child, ended, listening } = await startDashboard(t, ['--pid', String(pid)]);
  assert.equal((await call('POST', '/api/start')).status, 200);
  const socket = await openStubbornSocket(t, listening);
  child.kill('SIGTERM');
  await socket.endReported;
  // Signals within 500 ms of the first count as one.
  await wait(550);
  child.kill('SIGINT');
  const { code, last, lines } = await ended;
  assert.deepEqual([code, lines], [0, 2]);
  const trace = last['trace'] as { path: string; bytes: number };
  assert.match(trace.path, /\.vpt$/);
  assert.equal(statSync(trace.path).size, trace.bytes);
  assert.match(readFileSync(trace.path, 'utf8'), /"type":"end".*\n$/);
});

test('svc dashboard FILE can be ended while it opens the file, and counts signals at the same time as one', async (t) => {
  const file = writeSlowTrace(t);
  for (const signals of [['SIGINT'], ['SIGTERM', 'SIGHUP']] as const) {
    const child = startSvc(t, ['dashboard', '--json', '--port', '0', file]);
    const finished = finish(child);
    await until(() => isOpeningFile(child.pid ?? 0), Boolean, 'the file is being opened');
    for (const signal of signals) child.kill(signal);
    const { code, stdout, stderr } = await finished;
    assert.equal(stdout, '{"event":"ended","reason":"signal","trace":null}\n', stderr);
    assert.equal(code, 0);
  }
});

/** A trace of 64 MB whose lines begin with `t`. Reading it takes many seconds. */
function writeSlowTrace(t: TestContext): string {
  const file = join(temporaryFolder(t), 'slow.vpt');
  const header =
    '{"vpt":1,"producer":{"name":"x","version":"1"},"started_at":null,"sources":["browser"]}\n';
  const lines = '{"t":1,"type":"mark","name":"here"}\n'.repeat(1_800_000);
  writeFileSync(file, header + lines);
  return file;
}

/** Whether a process has the unlinked copy of FILE open. */
function isOpeningFile(pid: number): boolean {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).some((fd) => {
    try {
      return readlinkSync(join(folder, fd)).includes('/svc/.file-');
    } catch {
      return false;
    }
  });
}

/** A live client that never answers a close frame, so that the end has to wait for it. */
async function openStubbornSocket(
  t: TestContext,
  { origin, token }: Listening,
): Promise<{ endReported: Promise<void> }> {
  const { connect } = await import('node:net');
  const { port } = new URL(origin);
  const socket = connect(Number(port), '127.0.0.1');
  t.after(() => socket.destroy());
  socket.on('error', () => {});
  socket.write(
    [
      'GET /api/live HTTP/1.1',
      `Host: 127.0.0.1:${port}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      `Sec-WebSocket-Protocol: svc.v1, ${token}`,
      '\r\n',
    ].join('\r\n'),
  );
  let seen = '';
  let reportEnd: () => void = () => {};
  const endReported = new Promise<void>((resolve) => {
    reportEnd = resolve;
  });
  await new Promise<void>((resolve) => {
    socket.on('data', (chunk) => {
      seen += chunk.toString('latin1');
      if (seen.includes('"type":"status"')) resolve();
      if (seen.includes('"state":"ended"')) reportEnd();
    });
  });
  return { endReported };
}

test('svc dashboard on a busy port reports it, does not affect the other program, and exits with 1', async (t) => {
  const port = await takePort(t);
  const { code, stdout, stderr } = await runSvc(t, ['dashboard', '--port', String(port)]);
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, new RegExp(`^svc: .*port ${port} is in use\\..*--port \\d+\\.\\n$`));
  assert.equal(await (await fetch(`http://127.0.0.1:${port}`)).text(), 'occupied');
});

test('svc dashboard reports in one sentence why it cannot start, and writes nothing to stdout', async (t) => {
  const home = temporaryFolder(t);
  writeFileSync(join(home, 'bad.vpt'), '{"vpt":1}\n');
  const header =
    '{"vpt":1,"producer":{"name":"t","version":"0"},"started_at":null,"sources":["native"]}\n';
  writeFileSync(join(home, 'late.vpt'), `${header}{"type":"mark","t":"soon","name":"x"}\n`);
  writeFileSync(join(home, 'file'), '');
  const cases: [string[], RegExp][] = [
    [['--pid', '2147483647'], /2147483647/],
    [['bad.vpt'], /^svc: bad\.vpt:1:\d+: /],
    [['late.vpt'], /^svc: late\.vpt:2:\d+: /],
    [['missing.vpt'], /missing\.vpt/],
    [['--data-dir', 'file'], /file/],
  ];
  for (const [args, expected] of cases) {
    for (const face of [[], ['--json']]) {
      const all = ['dashboard', '--port', '0', ...args, ...face];
      const { code, stdout, stderr } = await runSvc(t, all, { env: { HOME: home }, cwd: home });
      assert.deepEqual([code, stdout], [1, ''], `${args.join(' ')}: ${stderr}`);
      assert.match(stderr, expected);
      assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
    }
  }
});

test('svc dashboard --pid reports an unreadable /proc entry', async (t) => {
  // A private /proc that hides processes of other users, as on hardened machines. Only root can mount one.
  const stranger = asStranger();
  if ('skip' in stranger) return t.skip(stranger.skip);
  const script = 'mount -t proc -o hidepid=1 proc /proc && exec setpriv "$@"';
  const inNamespace = ['-m', 'sh', '-c', script, 'sh', ...stranger.args];
  const probe = spawnSync('unshare', [...inNamespace, 'true']);
  if (probe.status !== 0) {
    t.skip('kernel: may not mount a /proc of its own here');
    return;
  }
  const home = temporaryFolder(t);
  chmodSync(home, 0o777);
  const pid = startTarget(t);
  const command = [
    process.execPath,
    SVC,
    'dashboard',
    '--port',
    '0',
    '--json',
    '--pid',
    String(pid),
  ];
  const child = spawn('unshare', [...inNamespace, ...command], {
    cwd: home,
    env: bareEnvironment(home),
  });
  t.after(() => child.kill('SIGKILL'));
  const { code, stdout, stderr } = await finish(child);
  assert.deepEqual([code, stdout], [1, '']);
  assert.match(stderr, new RegExp(`^svc: .*${pid}.*\\n$`));
});

test('svc dashboard with a read-only data folder reports it before it listens', (t) => {
  const stranger = asStranger();
  if ('skip' in stranger) return t.skip(stranger.skip);
  const home = temporaryFolder(t);
  mkdirSync(join(home, 'data/traces'), { recursive: true });
  chmodSync(home, 0o755);
  for (const folder of ['data', 'data/traces']) chownSync(join(home, folder), 65_534, 65_534);
  chmodSync(join(home, 'data/traces'), 0o500);
  const other = [...stranger.args, process.execPath, SVC];
  const run = (...args: string[]) =>
    spawnSync('setpriv', [...other, 'dashboard', '--data-dir', 'data', ...args], {
      cwd: home,
      env: bareEnvironment(home),
      encoding: 'utf8',
      timeout: 60_000,
    });
  const { status, stdout, stderr } = run('--port', '0');
  assert.deepEqual([status, stdout], [1, ''], stderr);
  assert.match(stderr, /^svc: No recordings can be kept: .*data\/traces: permission denied\.\n$/);
});

test('a process with an unreadable memory map is recorded without PSS, and the reason is reported', async (t) => {
  const stranger = asStranger();
  if ('skip' in stranger) return t.skip(stranger.skip);
  const home = temporaryFolder(t);
  chmodSync(home, 0o777);
  const pid = startTarget(t);
  const as = [...stranger.args, process.execPath, SVC];
  const child = spawn(
    'setpriv',
    [...as, 'dashboard', '--json', '--port', '0', '--pid', String(pid)],
    { cwd: home, env: bareEnvironment(home) },
  );
  t.after(() => child.kill('SIGKILL'));
  const { call, ended } = await followDashboard(child);
  const status = Parse(Status, await (await call('GET', '/api/status')).json());
  const pss = status.probes.find(({ id }) => id === 'pss');
  assert.equal(pss?.state, 'unavailable');
  assert.match(pss?.reason ?? '', /memory map/);
  assert.equal((await call('POST', '/api/start')).status, 200);
  await firstSample(call);
  const trace = await (await call('GET', '/api/trace')).text();
  assert.match(trace, /"rss_bytes":\d/);
  assert.doesNotMatch(trace, /"pss_bytes":\d/);
  assert.equal((await call('POST', '/api/off')).status, 200);
  assert.equal((await ended).code, 0);
});

test('svc dashboard with wrong usage exits with 2 before it listens', async (t) => {
  const wrong = [
    ['--port', '65536'],
    ['--port', 'x'],
    ['--pid', '0'],
    ['--pid', '-1'],
    ['--pid', '12x'],
    ['--ttl', '25h'],
    ['--ttl', '10'],
    ['--ttl', '0s'],
    ['--storage-cap', 'lots'],
    ['--import-limit', '-1'],
    ['--pss-interval', '10ms'],
    ['--probes', 'cpu'],
    ['--provider-url', 'http://example.com'],
    ['--data-dir', ''],
    [''],
    ['a.vpt', 'b.vpt'],
    ['--daemon'],
    // Standard output has one event per line.
    ['--json', '--daemon'],
    ['--daemon', '--json'],
  ];
  for (const args of wrong) {
    const { code, stdout, stderr } = await runSvc(t, ['dashboard', ...args]);
    assert.deepEqual([code, stdout], [2, ''], args.join(' '));
    assert.match(stderr, /^svc: \S/);
  }
});

test('svc dashboard names the range of a value that is out of range, and an option that is given twice', async (t) => {
  const wrong: [string[], RegExp][] = [
    [['--pid', '1', '--pid', '2'], /--pid is given more than once/],
    [['--port', '1', '--port', '1'], /--port is given more than once/],
    [['--data-dir', 'a', '--data-dir', 'b'], /--data-dir is given more than once/],
    [['--pss-interval', '500ms'], /from 1s to 24h/],
    [['--ttl', '0s'], /from 1s to 24h/],
    [['--ttl', '25h'], /from 1s to 24h/],
    [['--storage-cap', '1KiB'], /from 8KiB to 1024TiB/],
    [['--storage-cap', '9000TiB'], /from 8KiB to 1024TiB/],
    [['--import-limit', '0'], /from 1B to 1024TiB/],
    [['--pid', '4294967296'], /from 1 to 2147483647/],
    [['--data-dir', ''], /It must name a folder/],
  ];
  for (const [args, expected] of wrong) {
    const { code, stdout, stderr } = await runSvc(t, ['dashboard', ...args]);
    assert.deepEqual([code, stdout], [2, ''], args.join(' '));
    assert.match(stderr, expected);
  }
});

test('svc dashboard keeps running when the reader of its output closes the pipe', async (t) => {
  const home = temporaryFolder(t);
  const child = startSvc(t, ['dashboard', '--json', '--port', '0'], { env: { HOME: home } });
  const first = await new Promise<string>((resolve) =>
    child.stdout?.once('data', (chunk) => resolve(String(chunk))),
  );
  child.stdout?.destroy();
  const { origin, token }: Listening = JSON.parse(first.split('\n')[0] ?? '');
  const headers = { authorization: `Bearer ${token}` };
  assert.equal((await fetch(`${origin}/api/status`, { headers })).status, 200);
  const exited = new Promise((resolve) => child.once('exit', resolve));
  assert.equal((await fetch(`${origin}/api/off`, { method: 'POST', headers })).status, 200);
  assert.equal(await exited, 0);
});

test('svc dashboard on a terminal prints address, process, folder, end and how to stop, and opens the browser with a private file', async (t) => {
  const home = temporaryFolder(t);
  mkdirSync(join(home, 'bin'));
  const opened = join(home, 'opened');
  writeFileSync(
    join(home, 'bin/xdg-open'),
    `#!/bin/sh\nstat -c '%a' "$1" >${opened}.tmp\ncat "$1" >>${opened}.tmp\necho "$@" >>${opened}.tmp\nmv ${opened}.tmp ${opened}\n`,
    { mode: 0o755 },
  );
  const pid = startTarget(t);
  const env = bareEnvironment(home, { PATH: `${home}/bin:${process.env['PATH'] ?? ''}` });
  const line = `'${process.execPath}' '${SVC}' dashboard --port 0 --pid ${pid}`;
  const terminal = openTerminal(t, line, env, home);
  if (terminal === null) return;
  const screen = await terminal.shows(/Stop +Ctrl-C/);
  const [, origin = '', token = ''] =
    /(http:\/\/127\.0\.0\.1:\d+)\/#token=([\w-]{43})/.exec(screen) ?? [];
  assert.match(screen, new RegExp(`PID ${pid}`));
  assert.ok(screen.includes(join(home, '.local/share/svc')));
  await until(
    () => existsSync(opened),
    (exists) => exists,
    'the browser was opened',
  );
  const [mode, ...rest] = readFileSync(opened, 'utf8').trimEnd().split('\n');
  assert.equal(mode, '600');
  assert.ok(rest.join('\n').includes(`${origin}/#token=${token}`));
  const argument = rest.at(-1) ?? '';
  assert.ok(!argument.includes(token), 'the token is not on a command line');
  assert.ok(existsSync(argument));
  await fetch(`${origin}/api/status`, { headers: { authorization: `Bearer ${token}` } });
  await until(
    () => existsSync(argument),
    (exists) => !exists,
    'the private file is removed',
  );
  terminal.type('C-c');
  assert.match(await terminal.shows(/EXIT=\d+/), /The session has ended\.\n+EXIT=0/);
});

test('svc dashboard lists the recordings of a killed session', async (t) => {
  const home = temporaryFolder(t);
  const pid = startTarget(t);
  const killed = await startDashboard(t, ['--pid', String(pid)], { HOME: home });
  await killed.call('POST', '/api/start');
  await firstSample(killed.call);
  killed.child.kill('SIGKILL');
  await new Promise((resolve) => killed.child.once('close', resolve));
  const [left = ''] = readdirSync(join(home, '.local/share/svc/traces'));
  assert.match(left, /\.vpt\.partial$/);
  const child = startSvc(t, ['dashboard', '--port', '0'], { env: { HOME: home } });
  let text = '';
  await new Promise<void>((resolve) => {
    child.stdout?.on('data', (chunk) => {
      text += chunk;
      if (text.includes(left)) resolve();
    });
  });
  child.kill('SIGTERM');
  await new Promise((resolve) => child.once('exit', resolve));
  assert.ok(existsSync(join(home, '.local/share/svc/traces', left)));
});
