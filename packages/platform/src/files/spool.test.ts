import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { openSpool } from './spool.ts';

function rootFor(t: TestContext): string {
  const root = join(mkdtempSync(join(tmpdir(), 'svc-spool-')), 'spool');
  t.after(() => rmSync(dirname(root), { recursive: true, force: true }));
  return root;
}

/** Starts a process with a spool and a file in it. `wrap` is a prefix of the command. */
async function startOther(root: string, wrap: readonly string[] = []) {
  const module = JSON.stringify(pathToFileURL(join(import.meta.dirname, 'spool.ts')).href);
  const program = `import { openSpool } from ${module};
    import { writeFileSync } from 'node:fs';
    const folder = await openSpool(${JSON.stringify(root)}).openFolder();
    writeFileSync(folder.newFile(), 'work');
    console.log('ready');
    setInterval(() => {}, 1000);`;
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', '--input-type=module'];
  const [first = '', ...rest] = [...wrap, ...node, '-e', program];
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(first, rest, { stdio: ['ignore', 'pipe', 'inherit'], env });
  await once(child.stdout, 'data', { signal: AbortSignal.timeout(30_000) });
  return child;
}

function canUnshare(): boolean {
  return spawnSync('unshare', ['-r', '--pid', '--fork', 'true']).status === 0;
}

test('only the owner can read the folder of the spools', async (t) => {
  const root = rootFor(t);
  await using _spool = openSpool(root);
  assert.equal(statSync(root).mode & 0o777, 0o700);
});

test('a piece of work has a folder of its own, which is removed with it', async (t) => {
  const root = rootFor(t);
  const modeOf = (folder: string): number => statSync(folder).mode & 0o777;
  {
    await using spool = openSpool(root);
    let path = '';
    {
      await using folder = await spool.openFolder();
      await using beside = await spool.openFolder();
      path = folder.path;
      assert.notEqual(folder.path, beside.path);
      assert.notEqual(folder.newFile(), folder.newFile());
      assert.equal(dirname(folder.newFile()), path);
      writeFileSync(folder.newFile(), 'work');
      for (const one of [dirname(path), path]) assert.equal(modeOf(one), 0o700, one);
    }
    assert.equal(existsSync(path), false);
    // Unfinished work is removed too.
    writeFileSync((await spool.openFolder()).newFile(), 'work');
  }
  assert.deepEqual(readdirSync(root), []);
});

test('a spool removes those of processes that have ended, and nothing else', async (t) => {
  const root = rootFor(t);
  const child = await startOther(root);
  t.after(() => child.kill('SIGKILL'));
  const old = 'host~4194305~0123456789ab';
  const others = ['notes.txt', 'svc-spool-of-mine', 'host~1~short'];
  for (const name of [old, ...others]) mkdirSync(join(root, name));
  {
    await using _first = openSpool(root);
    await using _second = openSpool(root);
    const names = readdirSync(root);
    assert.equal(names.filter((name) => /^svc-spool-.{36}$/.test(name)).length, 3, 'all are alive');
    assert.equal(names.includes(old), false, 'an older version left it');
  }
  child.kill('SIGSTOP');
  await openSpool(root)[Symbol.asyncDispose]();
  assert.equal(readdirSync(root).length, 1 + others.length, 'a stopped process is alive');
  child.kill('SIGKILL');
  await once(child, 'exit', { signal: AbortSignal.timeout(30_000) });
  await openSpool(root)[Symbol.asyncDispose]();
  assert.deepEqual(readdirSync(root).sort(), others.sort());
});

test('a spool of a process in another PID namespace is alive', {
  skip: canUnshare() ? false : 'kernel: no user namespaces',
}, async (t) => {
  const root = rootFor(t);
  const child = await startOther(root, ['unshare', '-r', '--pid', '--fork', '--kill-child']);
  t.after(() => child.kill('SIGKILL'));
  await openSpool(root)[Symbol.asyncDispose]();
  assert.equal(readdirSync(root).length, 1);
});
