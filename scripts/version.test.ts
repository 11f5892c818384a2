// All packages have one version, and a new one reaches every place.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { setVersion } from './set-version.ts';
import { readVersion, VERSION_FILES } from './version.ts';
import { ROOT } from './workspaces.ts';

const VERSION = readVersion();
const NEXT = VERSION.replace(/\d+$/, (patch) => String(Number(patch) + 1));

function copyOf(t: { after(work: () => void): void }): string {
  const root = mkdtempSync(join(tmpdir(), 'svc-version-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  for (const path of VERSION_FILES) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    cpSync(join(ROOT, path), join(root, path));
  }
  writeFileSync(join(root, 'CHANGELOG.md'), '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A\n');
  return root;
}

test('a new version is set in every file, and nothing else changes', (t) => {
  const root = copyOf(t);
  setVersion(NEXT, '2026-03-04', root);
  assert.equal(readVersion(root), NEXT);
  for (const path of VERSION_FILES) {
    const [before, after] = [ROOT, root].map((one) => readFileSync(join(one, path), 'utf8'));
    const lines = before?.split('\n') ?? [];
    const changed = after?.split('\n') ?? [];
    assert.equal(changed.length, lines.length, path);
    const different = lines.flatMap((line, index) =>
      line === changed[index] ? [] : [[line, changed[index]]],
    );
    assert.ok(different.length > 0, path);
    for (const [line = '', now] of different) assert.equal(now, line.replace(VERSION, NEXT), path);
  }
  const manifest = readFileSync(join(root, 'packages/cli/package.json'), 'utf8');
  assert.ok(!manifest.includes(`"${VERSION}"`));
});

test('npm accepts the lockfile with the new version', (t) => {
  const root = copyOf(t);
  setVersion(NEXT, '2026-03-04', root);
  const args = ['ls', '--package-lock-only', '--all', '--json'];
  const { status, stdout } = spawnSync('npm', args, { cwd: root, encoding: 'utf8' });
  assert.equal(status, 0, stdout.slice(0, 2_000));
  assert.equal(JSON.parse(stdout).version, NEXT);
});

test('of the sources only that of the collector has a version', () => {
  const files = globSync('packages/*/src/**/*.ts', { cwd: ROOT }).filter((path) =>
    /\bVERSION\b[^=\n]*= '\d+\.\d+\.\d+'/.test(readFileSync(join(ROOT, path), 'utf8')),
  );
  assert.deepEqual(files, ['packages/collector/src/recording/version.ts']);
});

test('the present version can be set once, for its first release', (t) => {
  const root = copyOf(t);
  setVersion(VERSION, '2026-03-04', root);
  assert.equal(readVersion(root), VERSION);
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  assert.ok(changelog.includes(`## [Unreleased]\n\n## [${VERSION}] - 2026-03-04\n`));
  assert.throws(() => setVersion(VERSION, '2026-03-05', root), /Describe the changes/);
});

test('a wrong or older version changes nothing', (t) => {
  const root = copyOf(t);
  for (const wrong of ['', 'v1.0.0', '1.0', '1.0.0-beta', '01.0.0', '1.02.0', '0.0.1']) {
    assert.throws(() => setVersion(wrong, '2026-03-04', root), /is not/, wrong);
  }
  assert.equal(readVersion(root), VERSION);
});
