// Publishing with `svc` to a real platform, from an empty folder to a playable page, and its failures.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { Errors } from 'typebox/value';
import { DOCUMENTS, type DocumentName, ErrorDocument } from '../../packages/cli/src/documents.ts';
import {
  type Finished,
  finish,
  runSvc,
  startSvc,
  temporaryFolder,
} from '../../packages/cli/test/svc.ts';
import { findBrowser } from '../../scripts/find-browser.ts';
import { launchBrowser, noBrowser } from '../viewer/open-viewer.ts';
import { type PlatformProcess, signInFor, startPlatformProcess } from './platform-process.ts';

type Developer = {
  readonly platform: PlatformProcess;
  readonly name: string;
  readonly home: string;
  /** The game's folder, in which svc runs. */
  readonly cwd: string;
  readonly run: (args: readonly string[], env?: Record<string, string>) => Promise<Finished>;
  /** Runs svc with --json and returns the document. */
  readonly json: (
    args: readonly [DocumentName, ...string[]],
    env?: Record<string, string>,
  ) => Promise<{
    code: number | null; // biome-ignore lint/suspicious/noExplicitAny: the assertions say what is expected of it
    document: any;
  }>;
};

const PAGE = '<!doctype html><title>Space Cats</title><script src="main.js"></script>\n';
/** The smallest WebAssembly module. */
const WASM = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);

const shared = await startPlatformProcess({ after });
let people = 0;

/** Creates a home with a game, and logs in with a browser as a new user. */
async function startDeveloper(
  t: TestContext,
  { loggedIn = true, platform = shared } = {},
): Promise<Developer> {
  const name = `Ada ${++people}`;
  const home = temporaryFolder(t);
  const cwd = join(home, 'game');
  mkdirSync(join(cwd, 'dist'), { recursive: true });
  mkdirSync(join(home, 'tmp'));
  writeFileSync(join(cwd, 'dist/index.html'), PAGE);
  writeFileSync(join(cwd, 'dist/main.js'), 'document.title = "Running";\n');
  writeFileSync(join(cwd, 'dist/engine.wasm'), WASM);
  writeFileSync(
    join(cwd, 'dist/theme.ogg'),
    Buffer.concat([Buffer.from('OggS'), randomBytes(5000)]),
  );
  const run: Developer['run'] = (args, env = {}) =>
    runSvc(t, args, { cwd, env: { HOME: home, TMPDIR: join(home, 'tmp'), ...env } });
  const json: Developer['json'] = async (args, env) => {
    const { code, stdout, stderr } = await run([...args, '--json'], env);
    assert.notEqual(stdout, '', stderr);
    const document: unknown = JSON.parse(stdout);
    const schema = code === 0 ? DOCUMENTS[args[0]] : ErrorDocument;
    assert.deepEqual(
      [...Errors(schema, document)],
      [],
      `${args.join(' ')}: not as its schema says`,
    );
    return { code, document };
  };
  if (loggedIn) await logIn(t, platform.baseUrl, home, name);
  return { platform, name, home, cwd, run, json };
}

async function logIn(t: TestContext, api: string, home: string, name: string): Promise<string> {
  const child = startSvc(t, ['login', '--web', '--no-open', '--api', api, '--json'], {
    env: { HOME: home },
  });
  const done = finish(child);
  assert.match(await signInFor(child, name), /You are signed in/);
  const { code, stdout, stderr } = await done;
  assert.equal(code, 0, stderr);
  assert.equal(JSON.parse(stdout).user.name, name);
  return JSON.parse(readFileSync(join(home, '.config/svc/credentials'), 'utf8')).token;
}

/** The temporary files of publishing. */
function leftovers(home: string): string[] {
  return readdirSync(join(home, 'tmp')).filter((name) => name.startsWith('svc-publish-'));
}

test('init → login → publish → play → new version → rollback → unpublish', async (t) => {
  const { home, name, run, json, cwd, platform } = await startDeveloper(t, { loggedIn: false });
  const init = await json(['init', '--yes']);
  assert.equal(init.code, 0);
  assert.deepEqual(init.document.project, { title: 'Space Cats', engine: 'html5', build: 'dist' });
  await logIn(t, platform.baseUrl, home, name);
  const who = await json(['whoami']);
  assert.deepEqual([who.document.user.role, who.document.auth.kind], ['developer', 'pat']);

  const first = await json(['publish', '--version', '1.0', '--notes', 'Hello']);
  assert.equal(first.code, 0, JSON.stringify(first.document));
  const { game, release, url, diff } = first.document;
  const play = game.play_url.replace(/\/$/, '');
  assert.deepEqual([release.version, release.live, release.notes], ['1.0', true, 'Hello']);
  assert.equal(diff.new.length, 4);
  assert.ok(url.endsWith(`/games/${game.slug}`), url);
  const saved = JSON.parse(readFileSync(join(cwd, 'svc.json'), 'utf8'));
  assert.deepEqual([saved.id, saved.slug], [game.id, game.slug]);
  assert.equal(await (await fetch(`${play}/`)).text(), PAGE);

  if (noBrowser === false) {
    const browser = await launchBrowser();
    t.after(() => browser.close());
    const page = await browser.newPage();
    await page.goto(game.play_url);
    assert.equal(await page.title(), 'Running');
    assert.equal(await page.evaluate(() => crossOriginIsolated), true);
  }

  const same = await json(['publish']);
  assert.deepEqual([same.code, same.document.published, same.document.unchanged], [0, false, true]);

  writeFileSync(join(cwd, 'dist/main.js'), 'document.title = "Better";\n');
  rmSync(join(cwd, 'dist/theme.ogg'));
  const dry = await json(['publish', '--dry-run']);
  assert.deepEqual(
    [dry.code, dry.document.diff.changed, dry.document.diff.gone, dry.document.diff.new],
    [0, ['main.js'], ['theme.ogg'], []],
  );
  assert.equal((await json(['releases'])).document.releases.length, 1);
  const second = await run(['publish', '--version', '2.0']);
  assert.equal(second.code, 0, second.stderr);
  assert.match(second.stdout, /Published Space Cats, version 2\.0/);
  assert.match(second.stdout, /1 changed, 2 same, 1 gone/);
  assert.ok(second.stdout.trimEnd().endsWith(`Play  ${game.play_url}`), second.stdout);

  const back = await json(['rollback', '1.0']);
  assert.deepEqual([back.code, back.document.release.version], [0, '1.0']);
  assert.match(await (await fetch(`${play}/main.js`)).text(), /Running/);
  const releases = await json(['releases']);
  assert.deepEqual(
    releases.document.releases.map((one: { version: string; live: boolean }) => [
      one.version,
      one.live,
    ]),
    [
      ['2.0', false],
      ['1.0', true],
    ],
  );
  const projects = await json(['projects']);
  assert.deepEqual(
    projects.document.games.map((one: { slug: string }) => one.slug),
    [game.slug],
  );
  const offline = await json(['unpublish']);
  assert.deepEqual([offline.code, offline.document.game.status], [0, 'draft']);
  assert.equal((await fetch(`${play}/`)).status, 404);
  assert.deepEqual(leftovers(home), []);
});

test('svc publish: a version can be used once, and the same files under it are already published', async (t) => {
  const { json, cwd } = await startDeveloper(t);
  await json(['init', '--yes']);
  assert.equal((await json(['publish', '--version', '1'])).code, 0);
  writeFileSync(join(cwd, 'dist/main.js'), 'other\n');
  const conflict = await json(['publish', '--version', '1']);
  assert.deepEqual([conflict.code, conflict.document.error.code], [6, 'version_exists']);
  assert.equal((await json(['publish', '--version', '2'])).code, 0);
  const again = await json(['publish', '--version', '2', '--force']);
  assert.deepEqual(
    [again.code, again.document.already_published, again.document.online_again],
    [0, true, false],
  );
  const unknown = await json(['rollback', '9']);
  assert.deepEqual([unknown.code, unknown.document.error.code], [5, 'not_found']);
});

test('svc publish and svc rollback report that they put an unpublished game online again', async (t) => {
  const { json, run, cwd } = await startDeveloper(t);
  await json(['init', '--yes']);
  const first = await json(['publish', '--version', '1']);
  const play: string = first.document.game.play_url;
  const isOnline = async (): Promise<boolean> => (await fetch(play)).status === 200;
  writeFileSync(join(cwd, 'dist/main.js'), 'second\n');
  assert.equal((await json(['publish', '--version', '2'])).code, 0);

  // The same command again, and one without a version.
  for (const way of [['publish', '--version', '2'], ['publish']] as const) {
    const offline = await run(['unpublish']);
    assert.match(offline.stdout, /offline \(draft\)\.\nRun svc rollback to put it online again\./);
    assert.equal(await isOnline(), false);
    const { code, document } = await json(way);
    assert.equal(code, 0, JSON.stringify(document));
    assert.deepEqual(
      [document.published, document.already_published, document.online_again],
      [true, true, true],
    );
    assert.deepEqual([document.game.status, document.release.version], ['published', '2']);
    assert.equal(await isOnline(), true, way.join(' '));
  }
  await run(['unpublish']);
  writeFileSync(join(cwd, 'dist/main.js'), 'document.title = "Running";\n');
  const older = await run(['publish', '--version', '1']);
  assert.equal(older.code, 0, older.stderr);
  assert.match(older.stdout, /^Online again: Space Cats, version 1, which was published before/);
  assert.ok(older.stdout.trimEnd().endsWith(`Play  ${play}`), older.stdout);
  assert.equal(await isOnline(), true);

  // Other files under a used version are a conflict, and the game stays offline.
  await run(['unpublish']);
  writeFileSync(join(cwd, 'dist/main.js'), 'third\n');
  const conflict = await json(['publish', '--version', '1']);
  assert.deepEqual([conflict.code, conflict.document.error.code], [6, 'version_exists']);
  assert.equal(await isOnline(), false);
  assert.match((await run(['releases'])).stdout, /^1 .* last live /m);
  const back = await json(['rollback']);
  assert.deepEqual([back.code, back.document.game.status], [0, 'published']);
  assert.deepEqual([back.document.release.version, back.document.replaced], ['1', null]);
  assert.equal(await isOnline(), true);
  assert.equal((await json(['releases'])).document.releases.length, 2);
});

test('svc publish starts the game in a browser, and svc check --run compares with a published version', {
  skip: noBrowser,
}, async (t) => {
  const { home, json, run, cwd } = await startDeveloper(t);
  const env = { SVC_BROWSER: findBrowser() ?? '' };
  await json(['init', '--yes']);
  writeFileSync(join(cwd, 'dist/index.html'), '<h1>Text</h1><script src="main.js"></script>');
  const first = await json(['publish', '--version', '1'], env);
  assert.equal(first.code, 0, JSON.stringify(first.document));
  assert.equal(first.document.start_test, 'browser');

  // Its responses are as they should be, but the script needs a file that the build does not have.
  writeFileSync(join(cwd, 'dist/main.js'), 'fetch("level.json");\n');
  const { stderr, stdout, code } = await run(['publish', '--version', '2'], env);
  assert.deepEqual([code, stdout], [9, '']);
  assert.match(stderr, /Version 2 is published, but the game does not start for players\./);
  assert.match(stderr, /level\.json: The game requested level\.json, which does not exist\./);
  const again = await run(['publish', '--version', '2', '--force']);
  assert.equal(again.code, 0, again.stderr);
  assert.match(again.stdout, /svc requested the page and the main files of the game\. It did not/);

  writeFileSync(join(cwd, 'dist/main.js'), 'document.title = "Third";\n');
  const checked = await json(['check', '--run', '--seconds', '1', '--against', '1'], env);
  assert.equal(checked.code, 0, JSON.stringify(checked.document));
  assert.equal(checked.document.run.against, 'version 1');
  const none = await json(['check', '--run', '--against', '7'], env);
  assert.equal(none.code, 5, JSON.stringify(none.document));
  const broken = await json(['check', '--run', '--against', '2'], env);
  assert.deepEqual([broken.code, broken.document.error.code], [7, 'baseline_does_not_start']);
  const left = readdirSync(join(home, 'tmp')).filter((name) => name.startsWith('svc-'));
  assert.deepEqual(left, []);
});

test('svc publish creates nothing for a rejected build, and lists all reasons', async (t) => {
  const { home, json, cwd } = await startDeveloper(t);
  await json(['init', '--yes']);
  writeFileSync(join(cwd, 'dist/.env'), 'SECRET=1');
  writeFileSync(join(cwd, 'dist/id_rsa'), '-----BEGIN OPENSSH PRIVATE KEY-----\n');
  const refused = await json(['publish']);
  assert.equal(refused.code, 7);
  assert.equal(refused.document.error.code, 'secret_refused');
  assert.deepEqual(
    refused.document.error.details.map((detail: { entry: string }) => detail.entry).sort(),
    ['.env', 'id_rsa'],
  );
  rmSync(join(cwd, 'dist/.env'));
  rmSync(join(cwd, 'dist/id_rsa'));
  rmSync(join(cwd, 'dist/index.html'));
  const missing = await json(['publish']);
  assert.deepEqual([missing.code, missing.document.error.code], [7, 'zip_missing_index']);
  writeFileSync(join(cwd, 'broken.zip'), 'PK\u0003\u0004 and then nothing');
  const broken = await json(['publish', 'broken.zip']);
  assert.equal(broken.code, 7);
  assert.match(broken.document.error.code, /^zip_/);
  assert.deepEqual((await json(['projects'])).document.games, []);
  assert.deepEqual(leftovers(home), []);
});

test('svc publish respects ignore rules, and never packs svc.json', async (t) => {
  const { json, cwd } = await startDeveloper(t);
  writeFileSync(join(cwd, 'dist/notes.txt'), 'x');
  writeFileSync(join(cwd, 'dist/draft.psd'), 'x');
  writeFileSync(join(cwd, 'dist/.svcignore'), '*.psd\n');
  writeFileSync(join(cwd, 'dist/svc.json'), '{"title":"x"}');
  writeFileSync(
    join(cwd, 'svc.json'),
    JSON.stringify({ title: 'Cats', build: 'dist', ignore: ['notes.txt'] }),
  );
  const { code, document } = await json(['publish', '--dry-run']);
  assert.equal(code, 0, JSON.stringify(document));
  assert.deepEqual(document.diff.new, ['engine.wasm', 'index.html', 'main.js', 'theme.ogg']);
  assert.equal(document.verdict, null);
});

test('svc rejects a svc.json with a token or an unknown field, and a missing one', async (t) => {
  const { json, run, cwd } = await startDeveloper(t);
  assert.equal((await json(['publish'])).document.error.code, 'no_project_file');
  const cases: [string, string][] = [
    [
      '{"title":"x","token":"svc_0123456789abcdefghijABCDEFGHIJ0123456789abcd"}',
      'token_in_project_file',
    ],
    ['{"title":"x","colour":"red"}', 'project_file_invalid'],
    ['{"title":5}', 'project_file_invalid'],
    ['{"title":', 'project_file_invalid'],
  ];
  for (const [text, expected] of cases) {
    writeFileSync(join(cwd, 'svc.json'), text);
    const { code, stdout, stderr } = await run(['publish', '--json']);
    assert.deepEqual([code, JSON.parse(stdout).error.code], [7, expected]);
    assert.ok(!`${stdout}${stderr}`.includes('svc_0123456789'));
  }
});

test('svc with a revoked, foreign or read-only token exits with 3 or 4, and svc token creates and revokes tokens', async (t) => {
  const { platform, name: owner, home, json, cwd } = await startDeveloper(t);
  await json(['init', '--yes']);
  const asOwner = async (args: string[], name = owner) => {
    const child = startSvc(
      t,
      ['token', ...args, '--no-open', '--api', platform.baseUrl, '--json'],
      {
        env: { HOME: home },
      },
    );
    const done = finish(child);
    await signInFor(child, name);
    const { code, stdout, stderr } = await done;
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  const { secret, token } = await asOwner([
    'create',
    '--name',
    'reader',
    '--scope',
    'read',
    '--scope',
    'read',
    '--expires-in-days',
    '7',
  ]);
  assert.deepEqual([token.name, token.scopes], ['reader', ['read']]);
  const env = { SVC_TOKEN: secret, SVC_API: platform.baseUrl };
  assert.equal((await json(['whoami'], env)).document.auth.name, 'reader');
  const forbidden = await json(['publish'], env);
  assert.deepEqual([forbidden.code, forbidden.document.error.code], [4, 'scope_missing']);
  const { tokens } = await asOwner(['list']);
  assert.equal(tokens.length, 2);
  await asOwner(['revoke', token.id]);
  const revoked = await json(['whoami'], env);
  assert.deepEqual([revoked.code, revoked.document.error.code], [3, 'token_revoked']);
  const { secret: stranger } = await asOwner(['create', '--name', 'other'], 'Mallory');
  assert.equal((await json(['publish'])).code, 0);
  const foreign = await json(['releases'], { SVC_TOKEN: stranger, SVC_API: platform.baseUrl });
  assert.deepEqual([foreign.code, foreign.document.error.code], [4, 'not_owner']);
  assert.ok(existsSync(join(cwd, 'svc.json')));
});

test('svc publish of a ZIP file sends the file unchanged', async (t) => {
  const { cwd, json, platform, home } = await startDeveloper(t);
  await json(['init', '--yes']);
  const { packToFile } = await import('@svc/game-build');
  await packToFile(join(cwd, 'dist'), join(cwd, 'build.zip'));
  const { code, document } = await json(['publish', 'build.zip', '--version', '1']);
  assert.equal(code, 0, JSON.stringify(document));
  const { token } = JSON.parse(readFileSync(join(home, '.config/svc/credentials'), 'utf8'));
  const address = `${platform.baseUrl}/projects/${document.game.id}/releases/1/build`;
  const answer = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
  const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
  assert.equal(
    hash(new Uint8Array(await answer.arrayBuffer())),
    hash(readFileSync(join(cwd, 'build.zip'))),
  );
});
