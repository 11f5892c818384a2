import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { filesIn } from '../archive.ts';
import { SHARED_FILES } from '../linux/shared-files.ts';
import { TARGETS } from '../single-file/targets.ts';
import { writeInstallers } from './write-installers.ts';

const ADDRESS = 'https://downloads.example/svc/1.2.3';

function nameOf(system: string): string {
  return `svc-1.2.3-${system}.${system.startsWith('windows-') ? 'zip' : 'tar.gz'}`;
}

const SUMS: ReadonlyMap<string, string> = new Map(
  TARGETS.map(({ name }, index) => [nameOf(name), String(index + 1).repeat(64)]),
);
const sumOf = (system: string): string => SUMS.get(nameOf(system)) ?? '';

/** Writes the installers. Returns the folder. */
function write(
  t: { after(work: () => void): void },
  address: string | null = ADDRESS,
  without: readonly string[] = [],
): string {
  const out = mkdtempSync(join(tmpdir(), 'svc-installers-'));
  t.after(() => rmSync(out, { recursive: true, force: true }));
  const sums = new Map([...SUMS].filter(([name]) => !without.some((one) => nameOf(one) === name)));
  writeInstallers({ out, version: '1.2.3', address, sums });
  return out;
}

test('every placeholder is replaced', (t) => {
  const out = write(t);
  const files = filesIn(out);
  assert.deepEqual(files, [
    ...['install.ps1', 'install.sh', 'recipes/aur/.SRCINFO', 'recipes/aur/PKGBUILD'],
    ...['recipes/homebrew/svc.rb', 'recipes/scoop/svc.json'],
  ]);
  for (const path of files) {
    const text = readFileSync(join(out, path), 'utf8');
    assert.doesNotMatch(text, /@[A-Z]+(?::[\w-]+)?@/, path);
    assert.ok(text.includes('1.2.3') && text.includes(ADDRESS), path);
  }
  assert.equal(statSync(join(out, 'install.sh')).mode & 0o777, 0o755);
});

test('each recipe has the address and the sum of its archives, side by side', (t) => {
  const out = write(t);
  const read = (path: string): string => readFileSync(join(out, 'recipes', path), 'utf8');
  const formula = [...read('homebrew/svc.rb').matchAll(/url "(.*)"\s+sha256 "(.*)"/g)];
  assert.deepEqual(
    formula.map(([, url, sum]) => [url, sum]),
    ['macos-arm64', 'macos-x64', 'linux-arm64', 'linux-x64'].map((system) => [
      `${ADDRESS}/${nameOf(system)}`,
      sumOf(system),
    ]),
  );
  for (const path of Object.values(SHARED_FILES)) {
    assert.ok(read('homebrew/svc.rb').includes(`.install "${path}"`), path);
    assert.ok(read('aur/PKGBUILD').includes(`install -Dm644 ${path} "$pkgdir/usr/${path}"`), path);
  }
  for (const [processor, system] of [
    ['x86_64', 'linux-x64'],
    ['aarch64', 'linux-arm64'],
  ] as const) {
    assert.ok(read('aur/PKGBUILD').includes(`sha256sums_${processor}=('${sumOf(system)}')`));
    assert.ok(read('aur/.SRCINFO').includes(`sha256sums_${processor} = ${sumOf(system)}\n`));
  }
  assert.deepEqual(JSON.parse(read('scoop/svc.json')), {
    version: '1.2.3',
    description: 'Profile a game on your machine, and publish it',
    homepage: ADDRESS,
    license: 'Apache-2.0',
    architecture: {
      '64bit': { url: `${ADDRESS}/svc-1.2.3-windows-x64.zip`, hash: sumOf('windows-x64') },
    },
    bin: 'svc.exe',
  });
});

test('without an address there are no recipes, and without an archive none that needs it', (t) => {
  assert.deepEqual(readdirSync(write(t, null)), ['install.ps1', 'install.sh']);
  const withoutArm = write(t, ADDRESS, ['linux-arm64']);
  assert.deepEqual(readdirSync(join(withoutArm, 'recipes')), ['scoop']);
  const withoutMac = write(t, ADDRESS, ['macos-x64']);
  assert.deepEqual(readdirSync(join(withoutMac, 'recipes')), ['aur', 'scoop']);
  assert.ok(!existsSync(join(write(t, ADDRESS, ['windows-x64']), 'recipes/scoop')));
});

test('install.ps1 is as Windows PowerShell reads it, and knows the sum', (t) => {
  const text = readFileSync(join(write(t), 'install.ps1'), 'latin1');
  assert.match(text, /^[\t\r\n\x20-\x7e]*$/);
  assert.ok(
    text
      .split('\n')
      .slice(0, -1)
      .every((line) => line.endsWith('\r')),
  );
  assert.ok(text.includes(`$Expected = '${sumOf('windows-x64')}'`));
  const without = readFileSync(join(write(t, null, ['windows-x64']), 'install.ps1'), 'latin1');
  assert.ok(without.includes("$Expected = ''") && without.includes("$Address = ''"));
});
