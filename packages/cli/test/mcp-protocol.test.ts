// `svc mcp` as a process: standard input and output, bad lines, ends, signals, and no sockets.
import assert from 'node:assert/strict';
import { copyFileSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { ROOT } from '../../../scripts/workspaces.ts';
import { LINE_BYTES } from '../src/mcp/limits.ts';
import { callLine, GREETING, startAssistant } from './mcp-client.ts';
import { finish, runSvc, startSvc, temporaryFolder } from './svc.ts';

const TRACE = join(ROOT, 'packages/trace/fixtures/golden/browser-session.vpt');

type Message = { id: unknown; result?: unknown; error?: { code: number; message: string } };

function messagesOf(stdout: string): Message[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

test('requests before the end of standard input are answered, then the command ends with 0', async (t) => {
  const cwd = temporaryFolder(t);
  copyFileSync(TRACE, join(cwd, 'a.vpt'));
  const calls = [1, 2].map((id) => callLine(id, 'trace_summary', { trace: 'a.vpt' })).join('');
  const { code, stdout, stderr } = await runSvc(t, ['mcp', '.'], { cwd, input: GREETING + calls });
  assert.deepEqual([code, stderr], [0, '']);
  assert.deepEqual(new Set(messagesOf(stdout).map(({ id }) => id)), new Set(['hello', 1, 2]));
});

test('without any message the command ends with 0 and writes nothing', async (t) => {
  const { code, stdout, stderr } = await runSvc(t, ['mcp'], { input: '' });
  assert.deepEqual([code, stdout, stderr], [0, '', '']);
});

test('a line that is no message is answered with an error, and the next ones are served', async (t) => {
  const long = `{"jsonrpc":"2.0","id":5,"method":"ping","params":{"x":"${'y'.repeat(LINE_BYTES)}"}}`;
  const deep = '['.repeat(500_000);
  const lines = ['nonsense', '{"jsonrpc":"2.0","id":4}', '[]', '5', '\u0000\u0001', deep, long, ''];
  const ping = '{"jsonrpc":"2.0","id":9,"method":"ping"}\n';
  const input = `${GREETING}${lines.join('\n')}\n${ping}`;
  const { code, stdout } = await runSvc(t, ['mcp'], { input });
  assert.equal(code, 0);
  const messages = messagesOf(stdout);
  const faults = [-32_700, -32_600, -32_600, -32_600, -32_700, -32_700, -32_600];
  assert.deepEqual(
    messages.filter(({ id }) => id === null).map(({ error }) => error?.code),
    faults,
  );
  assert.deepEqual(
    messages.filter(({ id }) => id !== null).map(({ id, error }) => [id, error]),
    [
      ['hello', undefined],
      [9, undefined],
    ],
  );
});

test('an unknown tool and an unknown method are errors of the protocol', async (t) => {
  const unknown = '{"jsonrpc":"2.0","id":2,"method":"svc/none"}\n';
  const input = GREETING + callLine(1, 'run_command', { command: 'id' }) + unknown;
  const { code, stdout } = await runSvc(t, ['mcp'], { input });
  const errors = new Map(messagesOf(stdout).map(({ id, error }) => [id, error?.code]));
  assert.deepEqual([code, errors.get(1), errors.get(2)], [0, -32_602, -32_601]);
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`${signal} ends the command with 0`, async (t) => {
    const child = startSvc(t, ['mcp'], { hold: true });
    const ended = finish(child);
    child.stdin?.write(GREETING);
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    child.kill(signal);
    const { code, stderr } = await ended;
    assert.deepEqual([code, stderr], [0, '']);
  });
}

test('an assistant that no longer reads ends the command with 0', async (t) => {
  const child = startSvc(t, ['mcp'], { hold: true });
  const exit = new Promise((resolve) => child.once('exit', resolve));
  const lines = createInterface({ input: child.stdout ?? process.stdin });
  child.stdin?.write(GREETING);
  await new Promise((resolve) => lines.once('line', resolve));
  lines.close();
  child.stdout?.destroy();
  child.stdin?.write(callLine(1, 'list_traces'));
  assert.equal(await exit, 0);
});

test('the command opens no socket', { skip: process.platform !== 'linux' }, async (t) => {
  const cwd = temporaryFolder(t);
  copyFileSync(TRACE, join(cwd, 'a.vpt'));
  const { call, pid } = await startAssistant(t, ['a.vpt'], { cwd });
  assert.equal((await call('trace_summary', { trace: 'a.vpt' })).isError, false);
  const folder = `/proc/${pid}/fd`;
  // Standard streams are sockets if Node started the process.
  const others = readdirSync(folder).filter((fd) => Number(fd) > 2);
  const open = others.map((fd) => readlinkSync(join(folder, fd)));
  assert.ok(open.length > 0);
  assert.deepEqual(
    open.filter((target) => target.startsWith('socket:')),
    [],
  );
});
