// Which process a command line names: by its name, as a child, as a program, and by a choice on a terminal.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Status } from '@svc/contracts/agent';
import { Parse } from 'typebox/value';
import { until } from '../../../scripts/until.ts';
import { runHere } from './run-here.ts';
import { type Dashboard, startDashboard } from './start-dashboard.ts';
import { bareEnvironment, runSvc, SVC, startSvc, temporaryFolder } from './svc.ts';
import { openTerminal } from './terminal.ts';

const onLinux = {
  skip: process.platform !== 'linux' && 'kernel: it has no /proc',
  timeout: 120_000,
};
const command = (args: string): string => `'${process.execPath}' '${SVC}' ${args}`;
const BURN = 'for (const end = Date.now() + 600_000; Date.now() < end; );';

async function statusOf({ call }: Dashboard): Promise<Status> {
  return Parse(Status, await (await call('GET', '/api/status')).json());
}

/** Starts a program with a name that no other process has. */
function startNamed(t: TestContext, file: string, text: string): ChildProcess & { pid: number } {
  const path = join(temporaryFolder(t), file);
  writeFileSync(path, text);
  const child = spawn(process.execPath, [path], { stdio: 'ignore' });
  t.after(() => child.kill('SIGKILL'));
  assert.ok(child.pid !== undefined);
  return Object.assign(child, { pid: child.pid });
}

const uniqueName = (): string => `game-${randomUUID().slice(0, 8)}`;

/** Waits until a process has its command line, which it gets with its program. */
async function hasStarted(pid: number, word: string): Promise<void> {
  const read = async (): Promise<string> => readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  await until(read, (text) => text.includes(word), `${word} runs`);
}

test('--name finds a process by its script, whole or in part', onLinux, async (t) => {
  const name = uniqueName();
  const { pid } = startNamed(t, `${name}.mjs`, 'setInterval(() => {}, 1e6)');
  await hasStarted(pid, name);
  for (const wanted of [`${name}.mjs`, name.toUpperCase()]) {
    const dashboard = await startDashboard(t, ['--name', wanted, '--ttl', '1s']);
    assert.equal(dashboard.listening.target?.pid, pid);
    await dashboard.ended;
  }
});

test('--name lists the candidates, and says what to do if there is none', onLinux, async (t) => {
  const name = uniqueName();
  const pids = ['a', 'b'].map(
    (end) => startNamed(t, `${name}-${end}.mjs`, 'setInterval(() => {}, 1e6)').pid,
  );
  for (const pid of pids) await hasStarted(pid, name);
  const many = await runHere(t, ['dashboard', '--name', name]);
  assert.equal(many.code, 2);
  assert.match(many.stderr, new RegExp(`^svc: 2 processes match "${name}"\\.\n`));
  for (const pid of pids)
    assert.match(many.stderr, new RegExp(`\n  PID ${pid}: \\d+ % CPU, .*${name}-[ab]\\.mjs\n`));
  assert.match(many.stderr, /\nChoose one with --pid, or write more of its name\.\n$/);
  const none = await runHere(t, ['record', '--name', uniqueName(), '--json']);
  assert.equal(none.code, 1);
  assert.equal(JSON.parse(none.stdout).error.code, 'no_such_process');
  assert.match(none.stderr, /let svc start it: svc dashboard -- \.\/my-game\n$/);
});

test(
  '--child profiles what a launcher starts, and what a running launcher has started',
  onLinux,
  async (t) => {
    const name = uniqueName();
    const home = temporaryFolder(t);
    const game = join(home, `${name}.mjs`);
    writeFileSync(game, 'setInterval(() => {}, 1e6)');
    const launcher = join(home, 'launcher.sh');
    writeFileSync(launcher, `#!/bin/sh\nsleep 0.3\n'${process.execPath}' '${game}'\n`, {
      mode: 0o755,
    });
    const first = await startDashboard(t, ['--child', `${name}.mjs`, '--start', '--', launcher]);
    const { target } = first.listening;
    assert.ok(readFileSync(`/proc/${target?.pid}/cmdline`, 'latin1').includes(name));
    const status = await statusOf(first);
    assert.deepEqual([status.state, status.launched], ['capturing', true]);

    const parent = Number(
      /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${target?.pid}/status`, 'utf8'))?.[1],
    );
    const second = await startDashboard(t, [
      '--pid',
      String(parent),
      '--child',
      `${name}.mjs`,
      '--ttl',
      '1s',
    ]);
    assert.equal(second.listening.target?.pid, target?.pid);
    await second.ended;
    const none = await runHere(t, ['dashboard', '--pid', String(parent), '--child', 'nothing']);
    assert.equal(none.code, 1);
    assert.match(
      none.stderr,
      new RegExp(`^svc: Process ${parent} has started no process named "nothing"\\.`),
    );

    first.child.kill('SIGTERM');
    assert.equal((await first.ended).last['reason'], 'signal');
    const exists = async (): Promise<boolean> => {
      try {
        return readFileSync(`/proc/${target?.pid}/cmdline`, 'latin1').includes(name);
      } catch {
        return false;
      }
    };
    await until(exists, (found) => !found, 'svc ends the launcher and the game');
  },
);

test(
  'svc dashboard --start -- PROGRAM records from the start, reports a busy child, and how the program ended',
  onLinux,
  async (t) => {
    const stop = join(temporaryFolder(t), 'stop');
    const burn = `while (!require('fs').existsSync('${stop}'));`;
    const script = `"${process.execPath}" -e "${burn}"; exit 5`;
    const dashboard = await startDashboard(t, ['--start', '--', 'sh', '-c', script]);
    const { busy_child } = await until(
      () => statusOf(dashboard),
      (now) => now.busy_child !== null,
      'the child is found',
    );
    assert.equal(busy_child?.name, 'node');
    writeFileSync(stop, '');
    const { code, last } = await dashboard.ended;
    assert.equal(code, 0);
    assert.deepEqual([last['reason'], last['exit']], ['target_exit', { code: 5, signal: null }]);
    const { path } = last['trace'] as { path: string };
    const text = readFileSync(path, 'utf8');
    assert.match(path, /-sh-\d+\.vpt$/);
    assert.match(text, /"text":"svc starts sh here\."/);
    assert.match(
      text,
      /"level":"warn","text":"sh is idle\. Its child node, PID \d+, uses \d+ % of a core and is not recorded\."/,
    );
  },
);

test(
  'on a terminal, svc asks for a process, and offers the child of an idle one',
  onLinux,
  async (t) => {
    const name = uniqueName();
    const home = temporaryFolder(t);
    const burner = join(home, `${name}.mjs`);
    writeFileSync(burner, BURN);
    const launcher = spawn('/bin/sh', ['-c', `'${process.execPath}' '${burner}'; :`], {
      stdio: 'ignore',
      detached: true,
    });
    const { pid = 0 } = launcher;
    t.after(() => process.kill(-pid, 'SIGKILL'));
    const picker = openTerminal(
      t,
      command('dashboard --port 0 --no-open'),
      bareEnvironment(home),
      home,
    );
    if (picker === null) return;
    await picker.shows(/Which process do you want to profile\?[\s\S]*None: only open traces/);
    picker.type(name);
    await picker.shows(new RegExp(`❯ .* ${name}|❯ .*node`));
    picker.type('Enter');
    assert.match(
      await picker.shows(/Authorized .*/),
      /Authorized {2}(node|sh), PID \d+; recording starts/,
    );

    const offer = openTerminal(
      t,
      command(`dashboard --port 0 --no-open --pid ${pid}`),
      bareEnvironment(home),
      home,
    );
    await offer?.shows(
      /is idle\. Its child node \(PID \d+\) uses \d+ % of a core\. Profile node instead\?/,
    );
    offer?.type('Enter');
    const screen = (await offer?.shows(/Authorized .*/)) ?? '';
    assert.match(screen, /Authorized {2}node, PID \d+/);
    assert.ok(!screen.includes(`PID ${pid}; recording`));
  },
);

test(
  'on a terminal, Ctrl-C in the question starts nothing, and no process can be chosen',
  onLinux,
  async (t) => {
    const home = temporaryFolder(t);
    const open = () =>
      openTerminal(t, command('dashboard --port 0 --no-open'), bareEnvironment(home), home);
    const asked = open();
    if (asked === null) return;
    await asked.shows(/Which process/);
    asked.type('C-c');
    assert.match(await asked.shows(/EXIT=\d+/), /EXIT=130/);
    const none = open();
    await none?.shows(/Which process/);
    none?.type('Up', 'Enter');
    await none?.shows(/Authorized {2}no process, only traces/);
  },
);

test('--child: a launcher that fails, and one that starts something else', onLinux, async (t) => {
  const none = await runHere(t, ['record', '--child', 'game', '--', 'false']);
  assert.equal(none.code, 1);
  assert.match(
    none.stderr,
    /^svc: false has exited with code 1, and has started no process named "game"\.\n/,
  );
});

test('what a launcher leaves behind is named before svc ends it', onLinux, async (t) => {
  const cwd = temporaryFolder(t);
  const script = 'setsid sleep 600 & sleep 0.5';
  const { code, stderr } = await runSvc(t, ['record', '-o', 'x.vpt', '--', 'sh', '-c', script], {
    cwd,
  });
  assert.equal(code, 0, stderr);
  const [, pid] =
    /warning: sh has exited, but what it has started still runs: sleep \(PID (\d+)\)\. svc ends it now\. To profile it, start svc again with --child sleep\.\n/.exec(
      stderr,
    ) ?? [];
  assert.notEqual(pid, undefined, stderr);
  await until(
    async () => existsSync(`/proc/${pid}`),
    (runs) => !runs,
    'svc has ended it',
  );
});

test('a second signal while svc waits for a child ends the program at once', onLinux, async (t) => {
  const cwd = temporaryFolder(t);
  const script = 'trap "" TERM INT; echo $$ > pid; while :; do sleep 0.1; done';
  const child = startSvc(t, ['record', '--child', 'game', '--', 'sh', '-c', script], { cwd });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const read = async (): Promise<string> =>
    existsSync(join(cwd, 'pid')) ? readFileSync(join(cwd, 'pid'), 'utf8').trim() : '';
  const pid = await until(read, (text) => text !== '', 'the program runs');
  child.kill('SIGTERM');
  // Signals within half a second of one another count as one.
  await sleep(700);
  child.kill('SIGTERM');
  assert.equal(await exited, 130);
  const exists = async (): Promise<boolean> => existsSync(`/proc/${pid}`);
  await until(exists, (runs) => !runs, 'the program has ended');
});
