// The files that `svc mcp` reads, and those that it refuses.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../../scripts/workspaces.ts';
import { TRACE_BYTES } from '../src/mcp/limits.ts';
import { listTraces } from '../src/mcp/traces/list-traces.ts';
import { startAssistant } from './mcp-client.ts';
import { runHere } from './run-here.ts';
import { temporaryFolder } from './svc.ts';

const TRACE = join(ROOT, 'packages/trace/fixtures/golden/native-session.vpt');

test('a file outside of the named ones is refused, whether it exists or not', async (t) => {
  const home = temporaryFolder(t);
  const folder = join(home, 'traces');
  mkdirSync(folder);
  mkdirSync(join(home, 'traces-private'));
  for (const name of ['traces/in.vpt', 'out.vpt', 'traces-private/out.vpt']) {
    copyFileSync(TRACE, join(home, name));
  }
  symlinkSync(join(home, 'out.vpt'), join(folder, 'link.vpt'));
  symlinkSync(home, join(folder, 'up'));
  symlinkSync(join(folder, 'in.vpt'), join(folder, 'inner.vpt'));
  const { call } = await startAssistant(t, ['traces'], { cwd: home, home });
  const summary = (trace: string) => call('trace_summary', { trace });
  for (const name of [
    ...['out.vpt', join(home, 'out.vpt'), 'traces/../out.vpt', '../../etc/passwd', '/etc/passwd'],
    ...[
      'traces-private/out.vpt',
      'traces/link.vpt',
      'traces/up/out.vpt',
      'traces/up/none.vpt',
      'none.vpt',
    ],
    ...['/none/none.vpt', 'recordings/../../../out.vpt', `${'x'.repeat(4000)}.vpt`, '/'],
  ]) {
    const { isError, text } = await summary(name);
    assert.ok(isError, name);
    assert.match(
      text,
      /: It does not exist, or it is not one of the traces that svc may read/,
      name,
    );
    assert.ok(text.length < 500, name);
  }
  for (const name of ['traces/in.vpt', join(folder, 'in.vpt'), 'traces/inner.vpt', 'in.vpt']) {
    const { isError, answer } = await summary(name);
    assert.deepEqual([isError, answer?.trace], [false, 'traces/in.vpt'], name);
  }
  const { answer } = await call('list_traces');
  assert.deepEqual(
    answer.traces.map(({ trace }: { trace: string }) => trace),
    ['traces/in.vpt'],
  );
});

test('a missing file, a folder, a named pipe, a hostile file and another kind of file have messages of their own', async (t) => {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'sub.vpt'));
  writeFileSync(join(folder, 'bad.vpt'), '{"vpt":1}\n');
  writeFileSync(join(folder, 'empty.vpt'), '');
  writeFileSync(join(folder, 'secret.env'), 'main;draw 3\n');
  writeFileSync(join(folder, 'huge.vpt'), '');
  truncateSync(join(folder, 'huge.vpt'), TRACE_BYTES + 1);
  assert.equal(spawnSync('mkfifo', [join(folder, 'pipe.vpt')]).status, 0);
  const { call } = await startAssistant(t, ['.'], { cwd: folder });
  const { answer } = await call('list_traces');
  assert.match(answer.note, /^1 file has more than 256 MiB and is not listed\. The user can /);
  const cases: [string, RegExp][] = [
    ['gone.vpt', /Cannot read "gone\.vpt": It does not exist, or .* Call list_traces/],
    ['sub.vpt', /It is a folder/],
    ['.', /It is a folder/],
    ['pipe.vpt', /It is not a regular file/],
    ['bad.vpt', /bad\.vpt:1:\d+: /],
    ['empty.vpt', /empty\.vpt:1:1: /],
    ['huge.vpt', /more than 256 MiB/],
    ['secret.env', /not one of the traces/],
    ['a\u0000.vpt', /Cannot read "a\\x00\.vpt"/],
  ];
  for (const [name, message] of cases) {
    const { isError, text } = await call('trace_summary', { trace: name });
    assert.ok(isError, name);
    assert.match(text, message);
    assert.ok(!text.includes(folder), text);
  }
});

test('a file that the user names may have any name, and two with one name have two ids', async (t) => {
  const folder = temporaryFolder(t);
  for (const inner of ['a', 'b']) {
    mkdirSync(join(folder, inner));
    writeFileSync(join(folder, inner, 'stacks.txt'), `main;${inner} 3\n`);
  }
  const { call } = await startAssistant(t, ['a/stacks.txt', 'b/stacks.txt'], { cwd: folder });
  const functions = async (trace: string): Promise<string> =>
    (await call('trace_functions', { trace })).answer.tables[0].functions[0].name;
  assert.equal(await functions('stacks.txt'), 'a');
  assert.equal(await functions('stacks.txt-2'), 'b');
});

test('a name that is missing or neither file nor folder ends the command with 1', async (t) => {
  const cwd = temporaryFolder(t);
  const missing = await runHere(t, ['mcp', 'none'], { cwd });
  assert.deepEqual([missing.code, missing.stdout], [1, '']);
  assert.match(missing.stderr, /Cannot read "none": it does not exist\./);
  const device = await runHere(t, ['mcp', '/dev/null'], { cwd });
  assert.match(device.stderr, /it is neither a file nor a folder/);
});

test('the search for traces ends if its call is cancelled', async (t) => {
  const path = temporaryFolder(t);
  const file = join(path, 'a.vpt');
  copyFileSync(TRACE, file);
  const places = [
    { label: 'traces', path, kind: 'folder' },
    { label: 'a.vpt', path: file, kind: 'file' },
  ] as const;
  for (const place of places) {
    const list = (signal: AbortSignal) => listTraces([place], path, 5, signal);
    assert.equal((await list(new AbortController().signal)).traces.length, 1);
    await assert.rejects(list(AbortSignal.abort()), { name: 'AbortError' });
  }
});
