// The guide's way from one machine to several: a backup of SQLite and a folder is restored into PostgreSQL and a bucket.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  newDatabase,
  postgresMissing,
  startFakeS3,
  startOutsideProvider,
  startPostgres,
} from '@svc/platform/testing';
import { ROOT } from '../../scripts/workspaces.ts';
import { answersOk, findFreePorts, startProgram } from '../cluster/start-program.ts';
import { codeBlocks } from './code-blocks.ts';
import { gameHost, publishGame, sendTo, settingsFor } from './publish-game.ts';

const MAIN = join(ROOT, 'packages/platform/bin/svc-platform.mjs');

type Environment = Readonly<Record<string, string>>;

/** The three commands of the guide, with a folder of the test. */
function guideCommands(target: string): string[][] {
  const page = readFileSync(join(ROOT, 'docs/run-it.md'), 'utf8');
  const block = codeBlocks(page).find(({ text }) => /-run backup .*\n.*-run restore /.test(text));
  const lines = (block?.text ?? '').trim().split('\n');
  return lines.map((line) => line.replace('/var/backups/svc', target).split(' ').slice(2));
}

async function run(args: readonly string[], env: Environment): Promise<void> {
  const all = { PATH: process.env['PATH'] ?? '', ...env };
  const child = spawn(process.execPath, [MAIN, ...args], { env: all, stdio: 'pipe' });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => (printed += String(chunk)));
  }
  const code = await new Promise((resolve) => child.once('close', resolve));
  assert.equal(code, 0, `${args[0]}: ${printed}`);
}

test('the commands of the guide move a platform from SQLite and a folder to PostgreSQL and a bucket', {
  skip: postgresMissing() ?? false,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-move-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [dataDir, target] = [join(folder, 'data'), join(folder, 'backups')];
  mkdirSync(target);
  await using provider = await startOutsideProvider();
  await using bucket = await startFakeS3();
  using postgres = startPostgres();
  const [port = 0] = await findFreePorts(1);
  const before: Environment = {
    SVC_DATA_DIR: dataDir,
    SVC_PUBLIC_URL: 'https://api.games.example',
    SVC_WEB_ORIGIN: 'https://www.games.example',
    SVC_PLAY_ORIGIN: `https://${gameHost('{slug}')}`,
    ...settingsFor(provider),
  };
  const after: Environment = {
    ...before,
    SVC_DATABASE_URL: await newDatabase(postgres.url),
    SVC_STORAGE_URL: `s3://bucket/games?endpoint=${bucket.endpoint}`,
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'key',
  };
  const start = (env: Environment) =>
    startProgram({
      ...{ name: 'platform', env },
      command: [process.execPath, MAIN, '--port', String(port)],
      isReady: () => answersOk(`http://127.0.0.1:${port}/readyz`),
    });
  let slug = '';
  {
    await using _old = await start(before);
    slug = await publishGame(sendTo(port), provider);
  }
  const [backup = [], restore = [], check = []] = guideCommands(target);
  await run(backup, before);
  await run(restore, after);
  await run(check, after);
  rmSync(join(dataDir, 'projects'), { recursive: true });
  await using _new = await start(after);
  const answer = await sendTo(port)(gameHost(slug), '/');
  assert.match(await answer.text(), /<title>Cats/);
});
