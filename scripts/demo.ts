// `npm run demo`: starts the platform with a development sign-in, publishes the example game with `svc`, and starts the
// store and a dashboard that profiles a demonstration process. Ctrl-C stops everything and removes its files.
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { messageOf } from '@svc/contracts/caught';
import { buildBrowserCode } from './build-browser.ts';
import { onEnding } from './on-ending.ts';
import { ROOT } from './workspaces.ts';

const API_PORT = 8787;
const WEB_PORT = 8788;
const DASHBOARD_PORT = 6767;
const GAME = join(ROOT, 'examples/moonhop');
const DEVELOPER = 'Demo developer';
const NOTES = 'The first release. One button: let go of the moon, catch the next.';
const SVC = join(ROOT, 'packages/cli/bin/svc.mjs');

const ended = new AbortController();
const children: ChildProcess[] = [];
const folder = mkdtempSync(join(tmpdir(), 'svc-demo-'));
const end = (reason: string): void => ended.abort(reason);
onEnding(() => end(''));

try {
  buildBrowserCode();
  await showEverything();
  if (!ended.signal.aborted) await once(ended.signal, 'abort');
} catch (error) {
  if (!ended.signal.aborted) end(messageOf(error));
} finally {
  await Promise.all(children.map(endChild));
  rmSync(folder, { recursive: true, force: true });
}
if (ended.signal.reason !== '') {
  console.error(ended.signal.reason);
  process.exitCode = 1;
}

async function showEverything(): Promise<void> {
  const { api, web } = await startPlatformAndStore();
  const game = await publishGame(api);
  const dashboard = await startDashboard();
  console.log(`
  The store          ${web}
  A published game   ${game}
  Your own games     ${web}/dashboard   (sign in with any name; "${DEVELOPER}" owns the game)
  The platform       ${api}
  The profiler       ${dashboard}

  Ctrl-C stops everything and removes its data.
`);
}

/**
 * Starts both and returns their addresses. The platform needs the store's address before the store listens. If another
 * program takes that port in between, both are started again with another port.
 */
async function startPlatformAndStore(): Promise<{ api: string; web: string }> {
  for (const webPort of [WEB_PORT, await findFreePort(), await findFreePort()]) {
    const web = `http://127.0.0.1:${webPort}`;
    const env = { SVC_WEB_ORIGIN: web };
    const platform = await startOnPort('the platform', 'base_url', API_PORT, {
      main: join(ROOT, 'packages/platform/src/main.ts'),
      args: ['--dev', '--data-dir', join(folder, 'data'), '--json'],
      env,
    });
    try {
      await startProgram('the store', 'origin', {
        main: join(ROOT, 'packages/web/src/main.ts'),
        args: ['--api', platform.value, '--port', String(webPort), '--json'],
        env,
      });
      return { api: platform.value, web };
    } catch (error) {
      if (!isPortTaken(error)) throw error;
      await endChild(platform.child);
    }
  }
  throw new Error('Cannot start the store: other programs took all free ports.');
}

/** Publishes the example game with `svc`, after a sign-in in a browser. Returns the address of its page. */
async function publishGame(api: string): Promise<string> {
  const project = join(folder, 'moonhop');
  mkdirSync(project);
  cpSync(join(GAME, 'dist'), join(project, 'dist'), { recursive: true });
  const login = startChild(SVC, ['login', '--web', '--no-open', '--api', api], project);
  for await (const line of createInterface({ input: readable(login.stderr) })) {
    const address = /^\s*(http:\/\/127\.0\.0\.1:\S+)\s*$/.exec(line)?.[1];
    if (address !== undefined) await signInAt(address);
  }
  if (login.exitCode === null) await once(login, 'exit');
  if (login.exitCode !== 0) throw new Error('Cannot log in at the platform of the demonstration');
  await runSvc(['init', '--yes', '--title', 'Moonhop', '--build', 'dist'], project);
  const published = await runSvc(
    ['publish', '--version', '1.0.0', '--notes', NOTES, '--json'],
    project,
  );
  const result: unknown = JSON.parse(published);
  if (typeof result !== 'object' || result === null || !('url' in result)) {
    throw new Error(`Cannot publish the example game: ${published}`);
  }
  await writeStorePage(api, idOf(result));
  return String(result.url);
}

function idOf(result: object): string {
  const game: unknown = Reflect.get(result, 'game');
  return typeof game === 'object' && game !== null ? String(Reflect.get(game, 'id')) : '';
}

/** Fills the game's page with text and media, using the token that the sign-in saved. */
async function writeStorePage(api: string, id: string): Promise<void> {
  const saved = readFileSync(join(folder, 'config/svc/credentials'), 'utf8');
  const { token }: { token: string } = JSON.parse(saved);
  const form = new FormData();
  form.set('metadata', readFileSync(join(GAME, 'store/page.json'), 'utf8'));
  for (const part of ['cover', 'banner', 'shot-1', 'shot-2', 'shot-3']) {
    const bytes = readFileSync(join(GAME, `store/${part}.webp`));
    form.append(part.startsWith('shot') ? 'screenshots' : part, new Blob([bytes]), `${part}.webp`);
  }
  const answer = await fetch(`${api}/projects/${id}/store`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}` },
    body: form,
  });
  if (!answer.ok) throw new Error(`Cannot write the store page: ${await answer.text()}`);
}

/** Signs in as a browser would: submits a name and follows the redirects. */
async function signInAt(address: string): Promise<void> {
  const cookies = new Map<string, string>();
  const go = async (to: string, form?: URLSearchParams): Promise<Response> => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const sent = form === undefined ? {} : { method: 'POST', body: form };
    const answer = await fetch(to, { ...sent, redirect: 'manual', headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return answer;
  };
  const follow = (answer: Response): string =>
    new URL(answer.headers.get('location') ?? '', answer.url).href;
  const form = follow(await go(address));
  const resumed = follow(await go(form, new URLSearchParams({ name: DEVELOPER })));
  await fetch(follow(await go(resumed)));
}

/** Starts the dashboard for a process with the load of a game. Returns its address. */
async function startDashboard(): Promise<string> {
  const demonstration = fork(join(import.meta.dirname, 'demonstration.ts'), {
    execArgv: ['--disable-sigusr1'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  children.push(demonstration);
  await once(demonstration, 'message', { signal: ended.signal });
  const pid = String(demonstration.pid ?? 0);
  const dashboard = await startOnPort('the dashboard', 'url', DASHBOARD_PORT, {
    main: SVC,
    args: ['dashboard', '--pid', pid, '--no-open', '--json'],
  });
  return dashboard.value;
}

type Program = {
  readonly main: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
};

type Started = { readonly child: ChildProcess; readonly value: string };

/** Starts a program on its default port, or on any free port if the default is in use. */
async function startOnPort(
  what: string,
  field: string,
  port: number,
  program: Program,
): Promise<Started> {
  const startOn = (port: number): Promise<Started> =>
    startProgram(what, field, { ...program, args: [...program.args, '--port', String(port)] });
  try {
    return await startOn(port);
  } catch (error) {
    if (!isPortTaken(error)) throw error;
    return await startOn(0);
  }
}

/** Starts a server program and reads a field of the JSON line that it prints first. Rejects if the program exits before. */
async function startProgram(what: string, field: string, program: Program): Promise<Started> {
  const child = startChild(program.main, program.args, folder, program.env);
  let last = '';
  child.stderr?.on('data', (chunk) => {
    last = (last + chunk).slice(-2000);
  });
  const lines = createInterface({ input: readable(child.stdout) });
  const [line] = await Promise.race([
    once(lines, 'line', { signal: ended.signal }),
    once(child, 'close').then(() => []),
  ]);
  if (line === undefined) throw new Error(`Cannot start ${what}: ${last}`);
  child.once('exit', () => end(`Stopped, because ${what} has ended.\n${last}`));
  const event: unknown = JSON.parse(line);
  const value: unknown =
    typeof event === 'object' && event !== null ? Reflect.get(event, field) : null;
  if (typeof value !== 'string') throw new Error(`Cannot start ${what}: ${line}`);
  return { child, value };
}

/** Whether a program failed to start because its port is in use. */
function isPortTaken(error: unknown): boolean {
  return error instanceof Error && /\b(EADDRINUSE|in use)\b/.test(error.message);
}

function readable(stream: Readable | null): Readable {
  if (stream === null) throw new Error('Cannot read the output of a program: it has no pipe');
  return stream;
}

async function runSvc(args: readonly string[], cwd: string): Promise<string> {
  const child = startChild(SVC, args, cwd);
  let [text, faults] = ['', ''];
  child.stdout?.on('data', (chunk) => (text += chunk));
  child.stderr?.on('data', (chunk) => (faults += chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`svc ${args[0]} ended with ${code}:\n${faults}${text}`);
  return text;
}

/** Starts a program in its own process group. Ctrl-C then reaches only this script, which stops the programs itself. */
function startChild(
  main: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): ChildProcess {
  const child = spawn(process.execPath, ['--disable-sigusr1', main, ...args], {
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, XDG_CONFIG_HOME: join(folder, 'config'), ...env },
  });
  children.push(child);
  return child;
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.removeAllListeners('exit');
  const gone = once(child, 'exit');
  if (child.connected) child.disconnect();
  else child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await gone;
  clearTimeout(timer);
}

/** Returns a free port. */
async function findFreePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('Cannot find a free port');
  return address.port;
}
