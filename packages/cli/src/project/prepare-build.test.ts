// From a folder or a ZIP to a checked build: ignored files, exit codes, and temporary files.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { BUILD_LIMITS } from '@svc/game-build';
import { runHere } from '../../test/run-here.ts';
import { runSvc, temporaryFolder } from '../../test/svc.ts';
import { thrownBy } from '../../test/thrown-by.ts';
import {
  type BuildRequest,
  buildLimits,
  locateBuild,
  prepareBuild,
  refusal,
} from './prepare-build.ts';

function gameFolder(t: TestContext, files: Readonly<Record<string, string>> = {}): string {
  const cwd = temporaryFolder(t);
  mkdirSync(join(cwd, 'dist'));
  const all = { 'dist/index.html': '<title>x</title>', ...files };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(cwd, name), text);
  return cwd;
}

const request = (cwd: string, changes: Partial<BuildRequest> = {}): BuildRequest => ({
  ...{ cwd, named: undefined, project: null, allowSecrets: false, limits: {} },
  signal: new AbortController().signal,
  ...changes,
});

test('prepareBuild packs a folder without svc.json and ignored files, and removes the ZIP when it is disposed of', async (t) => {
  const cwd = temporaryFolder(t);
  mkdirSync(join(cwd, 'art'));
  for (const name of ['index.html', 'svc.json', 'a.psd', 'art/svc.json', 'art/b.psd']) {
    writeFileSync(join(cwd, name), '{"title":"x"}');
  }
  const project = { title: 'x', build: '.', ignore: ['*.psd'] };
  const prepared = await prepareBuild(request(cwd, { project }));
  assert.deepEqual(
    prepared.build.files.map(({ path }) => path),
    ['art/svc.json', 'index.html'],
  );
  assert.deepEqual(prepared.ignored.toSorted(), ['a.psd', 'art/b.psd']);
  assert.equal(prepared.shownPath, '.');
  assert.ok(existsSync(prepared.zipPath));
  prepared[Symbol.dispose]();
  assert.ok(!existsSync(join(prepared.zipPath, '..')));
  assert.ok(existsSync(join(cwd, 'index.html')));
});

test('prepareBuild uses a ZIP unchanged, and does not remove it', async (t) => {
  const cwd = gameFolder(t);
  const { packToFile } = await import('@svc/game-build');
  const zip = join(cwd, 'game.zip');
  await packToFile(join(cwd, 'dist'), zip, {});
  const prepared = await prepareBuild(request(cwd, { named: 'game.zip' }));
  assert.deepEqual([prepared.zipPath, prepared.shownPath, prepared.ignored], [zip, 'game.zip', []]);
  prepared[Symbol.dispose]();
  assert.ok(existsSync(zip));
});

test('svc check leaves no temporary files, for an accepted and for a rejected build', async (t) => {
  const cwd = gameFolder(t);
  const TMPDIR = temporaryFolder(t);
  const left = () => readdirSync(TMPDIR).filter((name) => name.startsWith('svc-'));
  const good = await runSvc(t, ['check', 'dist'], { cwd, env: { TMPDIR } });
  assert.equal(good.code, 0, good.stderr);
  assert.deepEqual(left(), []);
  writeFileSync(join(cwd, 'dist/.env'), 'KEY=x');
  const bad = await runSvc(t, ['check', 'dist'], { cwd, env: { TMPDIR } });
  assert.equal(bad.code, 7, bad.stderr);
  assert.deepEqual(left(), []);
});

test('svc check accepts keys only with --allow-secrets', async (t) => {
  const cwd = gameFolder(t, { 'dist/.env': 'KEY=x' });
  const refused = await runHere(t, ['check', 'dist', '--json'], { cwd });
  const { error } = JSON.parse(refused.stdout);
  assert.equal(refused.code, 7);
  assert.ok(error.details.some(({ entry }: { entry?: string }) => entry === '.env'));
  const allowed = await runHere(t, ['check', 'dist', '--json', '--allow-secrets'], { cwd });
  assert.equal(allowed.code, 0, allowed.stderr);
  const { accepted, files } = JSON.parse(allowed.stdout);
  assert.equal(accepted, true);
  assert.ok(files.some(({ path }: { path: string }) => path === '.env'));
});

test('svc check lists the five largest files, the ignored files, and the portals that would accept the build', async (t) => {
  const sizes = [7, 300, 20, 5000, 60, 8];
  const files = Object.fromEntries(sizes.map((size) => [`dist/f${size}.js`, 'x'.repeat(size)]));
  const cwd = gameFolder(t, {
    ...files,
    'dist/a.psd': 'x',
    'svc.json': '{"title":"x","build":"dist","ignore":["*.psd"]}',
  });
  const { code, stdout } = await runHere(t, ['check'], { cwd });
  assert.equal(code, 0);
  const [, table = ''] = stdout.split('Largest files\n');
  const listed = [...table.matchAll(/ (\S+\.(?:js|html)) /g)].map(([, name]) => name);
  assert.deepEqual(listed, ['f5000.js', 'f300.js', 'f60.js', 'f20.js', 'index.html']);
  assert.match(stdout, /^Safe to publish: dist\nfiles +7, 5\.3 KiB \(ZIP /);
  assert.match(stdout, /^left out +a\.psd$/m);
  assert.match(stdout, /^ {2}fits {2}itch\.io \(HTML5\)$/m);
});

test('locateBuild prefers the command line to svc.json, and rejects a folder outside the project in svc.json', (t) => {
  const cwd = gameFolder(t, { 'other.zip': '' });
  const project = { title: 'x', build: 'dist' };
  const located = (changes: Partial<BuildRequest>) => locateBuild(request(cwd, changes));
  assert.deepEqual(located({ project }), { path: join(cwd, 'dist'), isFolder: true });
  const zip = { path: join(cwd, 'other.zip'), isFolder: false };
  assert.deepEqual(located({ project, named: 'other.zip' }), zip);
  assert.equal(located({ named: '..' }).path, join(cwd, '..'));
  const rows: [changes: Partial<BuildRequest>, exitCode: number, code: string, hint: RegExp][] = [
    [{}, 2, 'usage', /Name a folder or a ZIP on the command line, or in svc\.json/],
    [
      { project: { title: 'x' } },
      2,
      'usage',
      /Name a folder or a ZIP on the command line, or in svc\.json/,
    ],
    [{ named: 'none' }, 7, 'build_not_found', /^Build the game first, or correct the path\.$/],
    [{ named: 'a\\b' }, 7, 'build_not_found', /Did you mean a\/b\?$/],
    [
      { project: { title: 'x', build: 'none' } },
      7,
      'build_not_found',
      /^Its path is from svc\.json\./,
    ],
  ];
  for (const [changes, exitCode, code, hint] of rows) {
    const failure = thrownBy(() => located(changes));
    assert.deepEqual([failure.exitCode, failure.code], [exitCode, code]);
    assert.match(failure.extras.hint ?? '', hint);
  }
  const outside = thrownBy(() => located({ project: { title: 'x', build: '..' } }));
  assert.deepEqual([outside.exitCode, outside.code], [7, 'project_file_invalid']);
});

test('refusal exits with 8 for a build that is too large and with 7 for others, with all findings', () => {
  const finding = { code: 'x', entry: 'a', rule: 'r', message: 'm', hint: 'h' } as const;
  const bare = { ...finding, entry: null, hint: null };
  for (const [code, exitCode] of [
    ['payload_too_large', 8],
    ['zip_too_many_entries', 8],
    ['zip_file_too_large', 8],
    ['zip_expansion_limit', 8],
    ['zip_crc_mismatch', 7],
    ['build_invalid', 7],
  ] as const) {
    const failure = refusal('dist', { code, findings: [finding, bare] } as never);
    assert.deepEqual([failure.exitCode, failure.code], [exitCode, code]);
    assert.equal(failure.message, 'The build "dist" cannot be published. It has 2 faults.');
    assert.deepEqual(failure.extras.details, [
      { rule: 'r', message: 'm', entry: 'a', hint: 'h' },
      { rule: 'r', message: 'm' },
    ]);
  }
  const one = refusal('dist', { code: 'x', findings: [finding] } as never);
  assert.match(one.message, /It has one fault\.$/);
});

test('buildLimits converts each limit of the platform, and no other value', () => {
  const reported = {
    ...{ build_zip_bytes: 1, build_expanded_bytes: 2, build_file_bytes: 3, build_files: 4 },
    ...{ build_path_bytes: 5, build_path_levels: 0, other: 7 },
  };
  const own = {
    ...{ zip_bytes: 1, expanded_bytes: 2, file_bytes: 3, files: 4, path_bytes: 5, path_levels: 0 },
  };
  assert.deepEqual(buildLimits(reported), own);
  assert.deepEqual(buildLimits({ build_files: 4 }), { files: 4 });
  for (const name of Object.keys(own)) assert.ok(Object.hasOwn(BUILD_LIMITS, name), name);
});
