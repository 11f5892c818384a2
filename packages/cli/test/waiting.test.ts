// The terminal while the platform does not answer, and commands that would wait for a person who is not there.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Answer, json, ME, startFaultyPlatform, TOKEN } from './faulty-platform.ts';
import { startSilentServer } from './sockets.ts';
import { bareEnvironment, runSvc, SVC, temporaryFolder } from './svc.ts';
import { openTerminal } from './terminal.ts';

const command = (args: string): string => `${process.execPath} ${SVC} ${args}`;

test('svc on a terminal shows the waiting time and the server, and removes the line after Ctrl-C', async (t) => {
  const api = `http://127.0.0.1:${await startSilentServer(t)}`;
  const home = temporaryFolder(t);
  const env = bareEnvironment(home, { SVC_TOKEN: TOKEN, SVC_API: api });
  const terminal = openTerminal(t, command('whoami'), env, home);
  if (terminal === null) return;
  await terminal.shows(new RegExp(`[|/\\\\-] Waiting for ${api} {2}[2-9] s`));
  terminal.type('C-c');
  const screen = await terminal.shows(/EXIT=130/);
  assert.doesNotMatch(screen, /Waiting for/);
  assert.match(screen, /svc: Interrupted\./);
});

const CLEAR_LINE = '\x1b[K';

/** A response that arrives after the spinner would have appeared. */
const late: Answer = (request, response) => {
  setTimeout(() => json(200, ME)(request, response), 3500);
};

test('svc shows no spinner with NO_COLOR, on a dumb terminal, or without a terminal', async (t) => {
  const platform = await startFaultyPlatform(t, { 'GET /me': late });
  const env = { SVC_TOKEN: TOKEN, SVC_API: platform.url };
  const recorded = async (prefix: string, name: string): Promise<string> => {
    const home = temporaryFolder(t);
    const out = join(home, name);
    const line = `${prefix} script -qec "${command('whoami')}" ${out}`;
    const terminal = openTerminal(t, line, bareEnvironment(home, env), home);
    await terminal?.shows(/EXIT=\d+/);
    return terminal === null ? '' : readFileSync(out, 'utf8');
  };
  const [shown, plain, dumb, none] = await Promise.all([
    recorded('', 'shown'),
    recorded('NO_COLOR=1', 'plain'),
    recorded('TERM=dumb', 'dumb'),
    runSvc(t, ['whoami'], { env }),
  ]);
  assert.deepEqual([none.code, none.stderr], [0, '']);
  if (shown === '') return;
  assert.match(shown.split(CLEAR_LINE).at(-1) ?? '', /^[^|]*Ada/);
  assert.match(shown, /Waiting for http/);
  for (const text of [plain, dumb]) {
    assert.match(text, /Ada/);
    assert.doesNotMatch(text, /Waiting for/);
    assert.ok(!text.includes(CLEAR_LINE));
  }
});

const SIGN_IN_COMMANDS = [
  ['token', 'list'],
  ['token', 'create', '--name', 'ci'],
  ['token', 'revoke', '0197a1a0-0000-7000-8000-000000000002'],
  ['login'],
  ['login', '--web'],
];

async function assertRefused(t: TestContext, args: string[], env: Record<string, string>) {
  const platform = await startFaultyPlatform(t, {});
  const all = [...args, '--api', platform.url, '--json'];
  const { code, stdout, stderr } = await runSvc(t, all, { env });
  const { error } = JSON.parse(stdout);
  assert.deepEqual([code, error.code, error.exit_code], [3, 'no_terminal', 3], args.join(' '));
  assert.match(error.hint, /in a terminal.*SVC_TOKEN and SVC_API/);
  assert.match(stderr, /^svc: Cannot sign in with a browser: /);
  assert.deepEqual(platform.seen, [], 'nothing is asked of the platform');
}

test('svc commands that need a sign-in exit with 3 at once without a terminal', async (t) => {
  for (const args of SIGN_IN_COMMANDS) await assertRefused(t, args, {});
});

test('svc login reports that standard input is not a terminal, and names both ways to log in', async (t) => {
  const platform = await startFaultyPlatform(t, {});
  const home = temporaryFolder(t);
  const line = `${command(`login --api ${platform.url}`)} < /dev/null`;
  const terminal = openTerminal(t, line, bareEnvironment(home), home);
  if (terminal === null) return;
  const screen = await terminal.shows(/EXIT=3/);
  assert.match(screen, /Cannot log in: standard input is not a terminal\.\s+Add --token - .*--web/);
  assert.deepEqual(platform.seen, []);
});

test('svc in CI does not ask on a terminal', async (t) => {
  const api = `http://127.0.0.1:${await startSilentServer(t)}`;
  const cases: [string, RegExp][] = [
    [
      `token list --api ${api}`,
      /Cannot sign in with a browser: the environment variable CI is set[\s\S]*EXIT=3/,
    ],
    [
      `login --api ${api}`,
      /Cannot sign in with a browser: the environment variable CI is set[\s\S]*EXIT=3/,
    ],
    [
      `login --api ${api} --token -`,
      /Cannot ask for a token: the environment variable CI is set[\s\S]*EXIT=3/,
    ],
    ['init', /Wrote svc\.json[\s\S]*EXIT=0/],
  ];
  await Promise.all(
    cases.map(async ([args, expected]) => {
      const home = temporaryFolder(t);
      const env = bareEnvironment(home, { CI: 'true' });
      const terminal = openTerminal(t, command(args), env, home);
      if (terminal !== null) assert.match(await terminal.shows(/EXIT=\d+/), expected);
    }),
  );
});
