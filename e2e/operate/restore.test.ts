// The guide's commands for a restore: in place of lost data, and as a drill beside the platform, in a shell with its settings.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startOutsideProvider } from '@svc/platform/testing';
import { until } from '../../scripts/until.ts';
import { ROOT } from '../../scripts/workspaces.ts';
import { answersOk, findFreePorts, startProgram } from '../cluster/start-program.ts';
import { codeBlocks } from './code-blocks.ts';
import { gameHost, publishGame, sendTo, settingsFor } from './publish-game.ts';

const MAIN = join(ROOT, 'packages/platform/bin/svc-platform.mjs');
/** The user of the test takes the place of the user of the service. */
const SUDO = 'sudo() { case $1 in -*) shift; esac; "$@"; }';

type Environment = Readonly<Record<string, string>>;

/** The folders of a test, and a folder with the program. */
function makeFolders(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-drill-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = (name: string): string => join(folder, name);
  mkdirSync(path('backups'));
  mkdirSync(path('bin'));
  const script = `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`;
  for (const name of ['svc-platform', 'svc-platform-run']) {
    writeFileSync(path(`bin/${name}`), script, { mode: 0o755 });
  }
  writeFileSync(path('bin/systemctl'), '#!/bin/sh\necho "systemctl $*"\n', { mode: 0o755 });
  return { data: path('data'), backups: path('backups'), bin: path('bin'), copy: path('copy') };
}

type Folders = ReturnType<typeof makeFolders>;

/** The blocks of the drill: those that make the copy and run it, look at it, and remove it. The copy gets a free port. */
function drillBlocks({ backups, bin, copy }: Folders): string[] {
  const page = readFileSync(join(ROOT, 'docs/backups.md'), 'utf8');
  const drill = page.slice(page.indexOf('\n## Drill\n'));
  return codeBlocks(drill).map(({ text }) =>
    text
      .replaceAll('PATH=/usr/local/bin:', `PATH=${bin}:`)
      .replaceAll('/var/backups/svc', backups)
      .replace(' -o svc-platform -g svc-platform', '')
      .replaceAll('/var/lib/svc-drill', copy)
      .replace('--port 8797', '--port 0'),
  );
}

function run(script: string, env: Environment): string {
  const { status, stdout, stderr } = spawnSync('sh', ['-euc', `${SUDO}\n${script}`], {
    ...{ encoding: 'utf8', env: { PATH: process.env['PATH'] ?? '', ...env } },
  });
  assert.equal(status, 0, stdout + stderr);
  return stdout;
}

/** Starts the copy. Returns its address. */
async function startCopy(t: TestContext, command: string, env: Environment): Promise<string> {
  let output = '';
  const child: ChildProcess = spawn('sh', ['-euc', command.replace(/^sudo \S+ /, 'exec ')], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  t.after(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => (output += String(chunk)));
  }
  const found = await until(
    () => (child.exitCode === null ? (/listens on (\S+)\. /.exec(output)?.[1] ?? '') : output),
    (address) => address !== '',
    'the copy listens',
  );
  assert.match(found, /^http:\/\/127\.0\.0\.1:\d+$/, output);
  return found;
}

/** A platform with the settings of the guide, and with a game of which it has made a backup. */
async function startWithBackup(folders: Folders) {
  await using starting = new AsyncDisposableStack();
  const provider = starting.use(await startOutsideProvider());
  const [port = 0, metrics = 0] = await findFreePorts(2);
  const env: Environment = {
    SVC_PUBLIC_URL: 'https://api.games.example',
    SVC_WEB_ORIGIN: 'https://www.games.example',
    SVC_PLAY_ORIGIN: `https://${gameHost('{slug}')}`,
    SVC_METRICS_PORT: String(metrics),
    SVC_DATA_DIR: folders.data,
    PATH: `${folders.bin}:${process.env['PATH']}`,
    ...settingsFor(provider),
  };
  const platform = starting.use(
    await startProgram({
      ...{ name: 'platform', env },
      command: [process.execPath, MAIN, '--port', String(port)],
      isReady: () => answersOk(`http://127.0.0.1:${port}/readyz`),
    }),
  );
  const slug = await publishGame(sendTo(port), provider);
  run(`svc-platform-run backup '${folders.backups}'`, env);
  const running = starting.move();
  return {
    ...{ env, platform, slug, send: sendTo(port) },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

test('the commands of the drill run a restored copy that has nothing of the running platform', async (t) => {
  const folders = makeFolders(t);
  await using running = await startWithBackup(folders);
  const { slug } = running;
  const env = { ...running.env, SVC_DATABASE_URL: 'postgres://svc@127.0.0.1:1/svc' };
  const [make = '', look = '', remove = ''] = drillBlocks(folders);
  const lines = make.trim().split('\n');
  const printed = run(lines.slice(0, -1).join('\n'), env);
  assert.match(printed, /Restored \S+: \d+ rows/);
  assert.match(printed, /Checked 1 project with \d+ files: no problems/);
  const copy = await startCopy(t, lines.at(-1) ?? '', env);

  const addressed = look.replaceAll('http://127.0.0.1:8797', copy);
  const seen = run(addressed.replaceAll('moon-hop', slug), env);
  assert.match(seen, /^ID .*\n\S+ +Ada /);
  assert.equal(seen.match(/HTTP\/1\.1 200 OK/g)?.length, 3, seen);
  assert.match(seen, /<title>Cats/);
  assert.equal(seen.match(/"slug":"cats"/g)?.length, 2, seen);
  // The same path of the running platform leads away from it.
  const answer = await running.send('api.games.example', `/play/${slug}/`);
  assert.equal(answer.status, 302);

  run(remove, env);
  assert.ok(!existsSync(folders.copy));
});

test('the commands of the guide restore lost data in their place', async (t) => {
  const folders = makeFolders(t);
  await using running = await startWithBackup(folders);
  await running.platform.kill();
  rmSync(join(folders.data, 'projects'), { recursive: true });
  const page = readFileSync(join(ROOT, 'docs/run-it.md'), 'utf8');
  const block = codeBlocks(page).find(({ text }) => text.includes('svc-platform-run restore'));
  const commands = (block?.text ?? '')
    .replace(' -o svc-platform -g svc-platform', '')
    .replaceAll('/var/lib/svc-platform', folders.data)
    .replaceAll('/var/backups/svc', folders.backups);
  const printed = run(commands, running.env);
  assert.match(printed, /^systemctl stop svc-platform-backup\.timer svc-platform-backup svc-web /);
  assert.match(
    printed,
    /no problems\nsystemctl start svc-platform svc-web svc-platform-backup\.timer\n$/,
  );
  const old = readdirSync(join(folders.data, '..')).filter((name) => /^data\.\d{14}$/.test(name));
  assert.equal(old.length, 1);
  assert.ok(existsSync(join(folders.data, '..', old[0] ?? '', 'platform.sqlite')));
  await running.platform.start();
  const answer = await running.send(gameHost(running.slug), '/');
  assert.match(await answer.text(), /<title>Cats/);
});
