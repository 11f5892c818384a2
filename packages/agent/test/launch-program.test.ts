// A program that svc starts: it waits, runs with what it was given, and ends with everything that it has started.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { launchProgram, type ProgramOptions } from '../src/index.ts';
import { temporaryFolder, until, within } from './harness.ts';

const onLinux = { skip: process.platform !== 'linux' && 'kernel: it has no /proc' };

function launch(folder: string, words: readonly string[], more: Partial<ProgramOptions> = {}) {
  return launchProgram({ words, cwd: folder, env: process.env, stdout: 'stderr', ...more });
}

/** A shell script, and the lines that it has written into `out`. */
function scriptIn(folder: string, text: string) {
  const path = join(folder, 'game.sh');
  writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  const out = join(folder, 'out');
  return {
    path,
    lines: () => (existsSync(out) ? readFileSync(out, 'utf8').trim().split('\n') : []),
  };
}

const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`);

test(
  'a program waits until it may run, and keeps its process id, arguments, folder and environment',
  onLinux,
  async () => {
    using folder = temporaryFolder();
    const { lines } = scriptIn(folder.path, 'printf "%s\\n" $$ "$PWD" "$COLOR" "$@" > out; exit 3');
    const args = ['a b', '', '--', '$HOME', 'ü\n'];
    const env = { ...process.env, COLOR: 'green' };
    await using program = launch(folder.path, ['./game.sh', ...args], { env });
    assert.equal(program.name, 'game.sh');
    const comm = readFileSync(`/proc/${program.pid}/cmdline`, 'latin1');
    assert.match(comm, /^\/bin\/sh\0-c\0/, 'it is still the shell that waits');
    assert.deepEqual(lines(), []);
    program.run();
    program.run();
    assert.deepEqual(await within(program.exited, 'the exit'), { code: 3, signal: null });
    const text = [String(program.pid), folder.path, 'green', ...args].join('\n');
    assert.equal(readFileSync(join(folder.path, 'out'), 'utf8'), `${text}\n`);
  },
);

test(
  'a program that may not run yet ends without having run, when it is disposed of and when svc is killed',
  onLinux,
  async () => {
    using folder = temporaryFolder();
    const { path, lines } = scriptIn(folder.path, 'echo ran > out');
    {
      await using _program = launch(folder.path, [path]);
    }
    assert.deepEqual(lines(), []);
    const source = fileURLToPath(new URL('../src/index.ts', import.meta.url));
    const code = `const { launchProgram } = await import(${JSON.stringify(source)});
    const { pid } = launchProgram({ words: [${JSON.stringify(path)}], cwd: '/', env: process.env, stdout: 'stderr' });
    console.log(pid); setInterval(() => {}, 1e6);`;
    const svc = spawn(process.execPath, ['--input-type=module', '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const pid = Number(String(await within(once(svc.stdout, 'data'), 'the program')));
    svc.kill('SIGKILL');
    await until(
      async () => isAlive(pid),
      (alive) => !alive,
      'the waiting shell ends',
    );
    assert.deepEqual(lines(), []);
  },
);

test(
  'the end of a program ends what it has started, also without a parent, stopped, or deaf to SIGTERM',
  onLinux,
  async () => {
    using folder = temporaryFolder();
    const { lines } = scriptIn(
      folder.path,
      `sleep 600 & echo $! >> out
(setsid sleep 600 & echo $! >> out)
sh -c 'trap "" TERM; while :; do sleep 1; done' & echo $! >> out
sleep 600 & echo $! >> out; kill -STOP $!
echo ready >> out; wait`,
    );
    const program = launch(folder.path, ['./game.sh']);
    program.run();
    await until(
      async () => lines(),
      (all) => all.includes('ready'),
      'the processes run',
    );
    const pids = lines().slice(0, 4).map(Number);
    const known = program.children().map(({ pid }) => pid);
    for (const pid of pids) assert.ok(known.includes(pid), `${pid} is known`);
    await program[Symbol.asyncDispose]();
    assert.deepEqual(await program.exited, { code: null, signal: 'SIGTERM' });
    await until(
      async () => pids.filter(isAlive),
      (alive) => alive.length === 0,
      'all have ended',
    );
  },
);

test('what a launcher leaves behind is known, and ends with svc', onLinux, async () => {
  using folder = temporaryFolder();
  const { lines } = scriptIn(folder.path, 'setsid sleep 600 & echo $! > out');
  await using program = launch(folder.path, ['./game.sh']);
  program.run();
  assert.deepEqual(await within(program.exited, 'the exit'), { code: 0, signal: null });
  const [pid = 0] = lines().map(Number);
  await until(
    async () => program.children().map(({ name }) => name),
    (names) => names.includes('sleep'),
    'the sleeping process is known',
  );
  await program.end();
  await until(
    async () => isAlive(pid),
    (alive) => !alive,
    'the process ends',
  );
});

test('standard output is that of svc, or its standard error', onLinux, async () => {
  for (const stdout of ['inherit', 'stderr'] as const) {
    const source = fileURLToPath(new URL('../src/index.ts', import.meta.url));
    const code = `const { launchProgram } = await import(${JSON.stringify(source)});
      const program = launchProgram({ words: ['sh', '-c', 'cat; echo err >&2'], cwd: '/', env: process.env, stdout: ${JSON.stringify(stdout)} });
      program.run(); await program.exited;`;
    const svc = spawn(process.execPath, ['--input-type=module', '-e', code]);
    svc.stdin.end('typed');
    const [out, err] = await Promise.all(
      [svc.stdout, svc.stderr].map((stream) => stream.toArray()),
    );
    const [text, errors] = [out, err].map((chunks) => chunks?.join(''));
    assert.equal(text, stdout === 'inherit' ? 'typed' : '');
    assert.equal(errors, stdout === 'inherit' ? 'err\n' : 'typederr\n');
  }
});

test('a program that does not exist is refused before anything starts', () => {
  assert.throws(() => launch('/', ['./nope']), { code: 'no_such_program' });
  assert.throws(() => launch('/', []), { code: 'no_such_program' });
});

test('the program has the variables of svc, and one more', onLinux, async () => {
  using folder = temporaryFolder();
  const { path } = scriptIn(folder.path, 'env > out');
  const env = { PATH: process.env['PATH'], go: 'kept', SVC_START: 'x', EMPTY: '' };
  await using program = launch(folder.path, [path], { env });
  program.run();
  await within(program.exited, 'the exit');
  const lines = readFileSync(join(folder.path, 'out'), 'utf8').split('\n');
  for (const line of ['go=kept', 'EMPTY=', `PATH=${env.PATH}`])
    assert.ok(lines.includes(line), line);
  assert.equal(lines.filter((line) => line.startsWith('SVC_LAUNCH=')).length, 1);
});
