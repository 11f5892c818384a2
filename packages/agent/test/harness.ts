// What the agent's tests share: real targets, an agent in this process or in its own, and requests
// byte for byte.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  AGENT_ERRORS,
  AGENT_ROUTES,
  type AgentClient,
  type AgentRouteRow,
  COMMON_ERRORS,
  createAgentClient,
  type Ending,
  isAgentErrorCode,
} from '@svc/contracts/agent';
import { ErrorBody } from '@svc/contracts/errors';
import { Check } from 'typebox/value';
import { type Agent, type AgentOptions, startAgent, type Viewer } from '../src/index.ts';
import { PATIENCE_MS, within } from './within.ts';

export { until } from '../../../scripts/until.ts';
export { within };

const MIB = 1024 * 1024;

/** A folder that is removed after its test. */
export function temporaryFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'svc-agent-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** The smallest viewer: a page that loads a script. */
const VIEWER: Viewer = new Map([
  ['index.html', Buffer.from('<!doctype html><script src="/assets/app.js"></script>')],
  ['assets/app.js', Buffer.from('document.title = "viewer";')],
]);

/** Writes the smallest viewer. Returns its folder. */
export function writeViewer(folder: string): string {
  const viewer = join(folder, 'viewer');
  mkdirSync(join(viewer, 'assets'), { recursive: true });
  for (const [name, bytes] of VIEWER) writeFileSync(join(viewer, name), bytes);
  return viewer;
}

export type Target = AsyncDisposable & { readonly pid: number; readonly child: ChildProcess };

/** A process to watch. `busy` uses about half a core and holds 32 MiB. */
export async function startTarget(kind: 'idle' | 'busy' = 'idle'): Promise<Target> {
  const busy = `const held = Buffer.alloc(32 * 1024 * 1024, 1);
    setInterval(() => { const end = Date.now() + 50; while (Date.now() < end); }, 100);`;
  const code = `${kind === 'busy' ? busy : 'setInterval(() => {}, 1e6);'} console.log('up');`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  await within(once(child.stdout ?? child, 'data'), 'the target to run').catch((error) => {
    child.kill('SIGKILL');
    throw error;
  });
  const { pid } = child;
  assert.ok(pid !== undefined);
  return {
    pid,
    child,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await within(exit, 'the target to exit');
    },
  };
}

export type TestAgent = AsyncDisposable & {
  readonly agent: Agent;
  readonly port: number;
  readonly dataDir: string;
};

/** The options of a test's agent, in a separate folder. */
export function agentOptions(folder: string, more: Partial<AgentOptions> = {}): AgentOptions {
  return {
    viewer: () => VIEWER,
    port: 0,
    pid: null,
    startTicks: null,
    program: null,
    launched: false,
    start: false,
    file: null,
    dataDir: join(folder, 'data'),
    ttlMs: 3_600_000,
    storageCapBytes: 64 * MIB,
    importLimitBytes: 64 * MIB,
    pssIntervalMs: 1_000,
    probes: [],
    follow: null,
    providerUrl: null,
    env: {},
    version: '0.0.0-test',
    ...more,
  };
}

/** The options that another process passed as JSON, which has no viewer. */
export function parseOptions(text: string | undefined): AgentOptions {
  return { ...JSON.parse(text ?? ''), viewer: () => VIEWER };
}

let agentsRunning = 0;

/** Servers of the tests themselves, which are not leaks of an agent. */
export const ownServers = { open: 0 };

/**
 * An agent in this process. Disposing of it ends it and asserts that nothing failed and nothing is
 * left open.
 */
export async function startTestAgent(more: Partial<AgentOptions> = {}): Promise<TestAgent> {
  const folder = temporaryFolder();
  const failures: unknown[] = [];
  const options = agentOptions(folder.path, {
    ...more,
    onFailure: (error) => failures.push(error),
  });
  const agent = await within(startAgent(options), 'the agent to start').catch((error) => {
    folder[Symbol.dispose]();
    throw error;
  });
  agentsRunning++;
  return {
    agent,
    port: Number(new URL(agent.origin).port),
    dataDir: options.dataDir,
    [Symbol.asyncDispose]: async () => {
      using _ = folder;
      agent.end('signal');
      await within(agent.ended, 'the agent to end');
      agentsRunning--;
      assert.deepEqual(failures, [], 'no unhandled error');
      await assertNothingOpen(folder.path);
    },
  };
}

/** Starts an agent that should not start. If it does, it is ended. */
export async function tryToStart(options: AgentOptions): Promise<void> {
  await using _ = await within(startAgent(options), 'the agent to start');
}

/** Messages of Node about resources that it closed because the agent did not. */
const forgotten: string[] = [];
process.on('warning', ({ message }) => {
  if (message.includes('on garbage collection')) forgotten.push(message);
});

/**
 * Waits until no server, no thread and no file of the folder is open. After the last agent, also
 * none of a process.
 */
export async function assertNothingOpen(folder: string): Promise<void> {
  const open = (): string[] => {
    const resources = process.getActiveResourcesInfo();
    const files = openFiles();
    return [
      ...resources
        .filter((name) => name === 'TCPServerWrap')
        .slice(agentsRunning + ownServers.open),
      ...files.filter((path) => path.startsWith(folder)),
      ...(agentsRunning > 0
        ? []
        : [
            ...resources.filter((name) => /^(MessagePort|PipeServerWrap)$/.test(name)),
            ...files.filter(isOfOtherProcess),
          ]),
    ];
  };
  for (let tries = 0; tries < 200 && open().length > 0; tries++) await sleep(25);
  assert.deepEqual(open(), [], 'nothing is left open');
  assert.deepEqual(forgotten.splice(0), [], 'everything is closed by its owner');
}

/** The targets of this process's descriptors. */
function openFiles(): string[] {
  return readdirSync('/proc/self/fd').map((fd) => linkOf(`/proc/self/fd/${fd}`));
}

function isOfOtherProcess(path: string): boolean {
  const pid = /^\/proc\/(\d+)(\/|$)/.exec(path)?.[1];
  return pid !== undefined && pid !== String(process.pid);
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly json: unknown;
  readonly code: string | null;
};

export type Question = {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Default: the agent's token. Null: no token is sent. */
  readonly token?: string | null;
};

/**
 * Sends a request with the agent's token, and asserts that an error has the envelope, a code of the
 * route, and the code's status. Rejects if no answer comes.
 */
export function ask(
  { agent, port }: Pick<TestAgent, 'agent' | 'port'>,
  method: string,
  path: string,
  { headers = {}, body, token = agent.token }: Question = {},
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const bearer: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const fail = (error: unknown): void =>
    reject(signal.aborted ? new Error(`waited ${PATIENCE_MS} ms for ${method} ${path}`) : error);
  const request = httpRequest(
    {
      host: '127.0.0.1',
      port,
      method,
      path,
      headers: { ...bearer, ...headers },
      agent: false,
      signal,
    },
    async (response) => {
      try {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk);
        const text = Buffer.concat(chunks).toString();
        const answer = answerOf(response.statusCode ?? 0, response.headers, text, method);
        if (answer.code !== null) assertListed(method, path, answer.code);
        resolve(answer);
      } catch (error) {
        fail(error);
      }
    },
  );
  request.on('error', fail);
  request.end(body);
  return promise;
}

function answerOf(
  status: number,
  headers: Answer['headers'],
  text: string,
  method: string,
): Answer {
  const isJson = String(headers['content-type'] ?? '').startsWith('application/json');
  const json: unknown = isJson && text !== '' ? JSON.parse(text) : null;
  const code = status >= 400 && method !== 'HEAD' ? refusalCode(status, json) : null;
  for (const name of Object.keys(headers)) assert.doesNotMatch(name, /^access-control-/);
  return { status, headers, text, json, code };
}

/** The contract's client for an agent. */
export function clientOf({ origin, token }: Pick<Agent, 'origin' | 'token'>): AgentClient {
  return createAgentClient({ baseUrl: origin, send: fetch, credential: () => token });
}

/** Asserts that the contract lists the code for the route, or for every request. */
function assertListed(method: string, path: string, code: string): void {
  const routes: AgentRouteRow[] = Object.values(AGENT_ROUTES);
  const row = routes.find((one) => one.method === method && one.path === path.split('?')[0]);
  const listed: string[] = [...COMMON_ERRORS, ...(row?.errors ?? [])];
  assert.ok(listed.includes(code), `${method} ${path} does not list ${code}`);
}

function refusalCode(status: number, json: unknown): string {
  assert.ok(Check(ErrorBody, json), `a refusal is in the envelope: ${JSON.stringify(json)}`);
  const { code } = json.error;
  assert.ok(isAgentErrorCode(code), `${code} is in the table`);
  assert.equal(AGENT_ERRORS[code].status, status, `${code} has its status`);
  return code;
}

/**
 * Sends bytes on a new connection and returns everything that arrives until it closes. Rejects if
 * it stays open.
 */
export async function askRaw(port: number, text: string | Uint8Array): Promise<Answer> {
  const socket = connect(port, '127.0.0.1');
  using _ = { [Symbol.dispose]: () => socket.destroy() };
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => {});
  socket.write(text);
  await within(once(socket, 'close'), `the answer to ${String(text).slice(0, 60)}`);
  return parseRaw(Buffer.concat(chunks).toString());
}

/** The lines of a WebSocket handshake. */
export function handshake(port: number, more: readonly string[]): string {
  const lines = [
    'GET /api/live HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ...more,
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** Parses the bytes of an answer. */
export function parseRaw(text: string): Answer {
  const [head = '', body = ''] = text.split(/\r\n\r\n([\s\S]*)/);
  const [first = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':');
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
    }),
  );
  return answerOf(Number(first.split(' ')[1] ?? 0), headers, body, 'RAW');
}

/** A property of an unknown value. */
export function field(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((inner, key) => Object(inner)[key], value);
}

/** A small trace of the given records. */
export function vptOf(...records: readonly Readonly<Record<string, unknown>>[]): string {
  const header = {
    vpt: 1,
    producer: { name: 'test', version: '1' },
    started_at: null,
    sources: ['browser'],
  };
  return [header, ...records].map((line) => `${JSON.stringify(line)}\n`).join('');
}

export type AgentProcess = AsyncDisposable & {
  readonly child: ChildProcess;
  /** Its first output: its address and its token. */
  readonly listening: { readonly origin: string; readonly token: string; readonly port: number };
  /** Its last output, after it has ended. */
  readonly ended: Promise<Ending | null>;
};

const PROGRAM = fileURLToPath(new URL('./agent-program.ts', import.meta.url));

/**
 * An agent in a separate process, for tests that would damage this one. `through` is a command that
 * runs it.
 */
export async function startAgentProcess(
  options: AgentOptions,
  through: readonly string[] = [],
): Promise<AgentProcess> {
  const [command = '', ...args] = [...through, process.execPath, PROGRAM, JSON.stringify(options)];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  assert.ok(child.stdout !== null);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const exit = once(child, 'exit');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await within(exit, 'the agent to exit');
  };
  const first = await within(lines.next(), 'the agent to listen').catch(async (error) => {
    await kill();
    throw error;
  });
  assert.equal(first.done, false, 'the agent prints where it listens');
  const listening = JSON.parse(first.value ?? '');
  return {
    child,
    listening,
    ended: (async () => {
      const last = await lines.next();
      return last.done === true ? null : JSON.parse(last.value);
    })(),
    [Symbol.asyncDispose]: kill,
  };
}
