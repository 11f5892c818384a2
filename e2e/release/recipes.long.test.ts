// The recipes of a release with the programs that read them, and the signature of the executable for Windows.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
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
import { after, before, test } from 'node:test';
import { VERSION } from '../../packages/cli/src/process/version.ts';
import { SHARED_FILES } from '../../release/linux/shared-files.ts';
import { TARGETS } from '../../release/single-file/targets.ts';
import { type Made, makeRelease } from './make-release.ts';

// scripts/provision.ts has put the packages into npm's cache.
process.env['npm_config_offline'] = 'true';

const ADDRESS = 'https://downloads.example/svc';
const PROCESSOR = process.arch === 'x64' ? 'x86_64' : 'aarch64';
const NOBODY = 65_534;

const home = mkdtempSync(join(tmpdir(), 'svc-recipes-'));
let made: Made;
before(async () => {
  makeKeys();
  made = await makeRelease(TARGETS, { address: ADDRESS, signProgram: join(home, 'sign') });
});
after(() => {
  made?.[Symbol.dispose]();
  rmSync(home, { recursive: true, force: true });
});

function run(command: string, args: readonly string[], cwd = home): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  assert.equal(status, 0, `${command} ${args.join(' ')}\n${error ?? ''}${stdout}${stderr}`);
  return stdout;
}

/** A key and a certificate, and a program that signs with them. It leaves programs for macOS as they are. */
function makeKeys(): void {
  const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout', 'key.pem'];
  const names = ['-subj', '/CN=svc test', '-addext', 'extendedKeyUsage=codeSigning'];
  run('openssl', ['req', '-x509', ...key, '-out', 'cert.pem', '-days', '2', ...names]);
  const script = `#!/bin/sh -eu
echo "$1" >>${home}/signed
case $1 in windows-*) ;; *) exit 0 ;; esac
osslsigncode sign -certs ${home}/cert.pem -key ${home}/key.pem -h sha256 -in "$2" -out "$2.signed" >/dev/null
mv "$2.signed" "$2"
`;
  writeFileSync(join(home, 'sign'), script);
  chmodSync(join(home, 'sign'), 0o755);
}

test('the given program signs the executables for macOS and Windows, and osslsigncode accepts the result', () => {
  const signed = readFileSync(join(home, 'signed'), 'utf8');
  assert.equal(signed, 'macos-x64\nmacos-arm64\nwindows-x64\n');
  const zip = join(made.folder, `svc-${VERSION}-windows-x64.zip`);
  run('unzip', ['-q', zip, 'svc.exe', '-d', home]);
  const verify = ['verify', '-CAfile', 'cert.pem', '-in', 'svc.exe'];
  assert.match(run('osslsigncode', verify), /Signature verification: ok/);
  const program = readFileSync(join(home, 'svc.exe'));
  program[100_000] = (program[100_000] ?? 0) ^ 1;
  writeFileSync(join(home, 'svc.exe'), program);
  assert.notEqual(spawnSync('osslsigncode', verify, { cwd: home }).status, 0);
});

test('makepkg makes a package from the PKGBUILD, and agrees with .SRCINFO', () => {
  const folder = join(home, 'aur');
  mkdirSync(folder);
  const archive = `svc-${VERSION}-linux-${process.arch}.tar.gz`;
  copyFileSync(join(made.folder, 'recipes/aur/PKGBUILD'), join(folder, 'PKGBUILD'));
  copyFileSync(join(made.folder, archive), join(folder, archive));
  const isRoot = process.getuid?.() === 0;
  for (const one of [folder, join(folder, 'PKGBUILD'), join(folder, archive)]) {
    if (isRoot) chownSync(one, NOBODY, NOBODY);
  }
  chmodSync(home, 0o755);
  // makepkg refuses to run as root, and looks for pacman, which it does not need here.
  const environment = [
    ...['env', `HOME=${folder}`, `CARCH=${PROCESSOR}`, 'PACMAN=true', 'PKGEXT=.pkg.tar'],
  ];
  const other = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
  const makepkg = (...args: readonly string[]): string => {
    const words = [...(isRoot ? other : []), ...environment, 'makepkg', ...args];
    return run(words[0] ?? '', words.slice(1), folder);
  };
  const info = readFileSync(join(made.folder, 'recipes/aur/.SRCINFO'), 'utf8');
  assert.equal(makepkg('--printsrcinfo').trim(), info.trim());
  makepkg('--nodeps', '--noconfirm', '--nocheck');
  const name = readdirSync(folder).find((one) => one.endsWith('.pkg.tar')) ?? '';
  assert.equal(name, `svc-bin-${VERSION}-1-${PROCESSOR}.pkg.tar`);
  const listed = run('tar', ['-tf', join(folder, name)]).split('\n');
  const files = listed.filter((path) => path.startsWith('usr/') && !path.endsWith('/'));
  assert.deepEqual(
    files.sort(),
    [
      'usr/bin/svc',
      ...Object.values(SHARED_FILES).map((path) =>
        path.endsWith('.1') ? `usr/${path}.gz` : `usr/${path}`,
      ),
      'usr/share/licenses/svc-bin/LICENSE',
      'usr/share/licenses/svc-bin/THIRD-PARTY-NOTICES.txt',
    ].sort(),
  );
  run('tar', ['-xf', join(folder, name), 'usr/bin/svc'], folder);
  assert.equal(run(join(folder, 'usr/bin/svc'), ['--version']), `${VERSION}\n`);
});

/** The words of Homebrew that the formula uses. It chooses the archive of one system, and copies its files. */
const HOMEBREW = `
require "fileutils"
$system, $processor, $prefix = ARGV
class Place
  def initialize(path) = @path = path
  def install(file)
    FileUtils.mkdir_p(@path)
    FileUtils.cp(file, @path)
  end
  def to_s = @path
end
class Formula
  class << self
    def desc(text) = puts("desc #{text}")
    def homepage(text) = puts("homepage #{text}")
    def conflicts_with(name, because:) = puts("conflicts #{name}")
    def license(text) = puts("license #{text}")
    def on_macos = $system == "macos" && yield
    def on_linux = $system == "linux" && yield
    def on_arm = $processor == "arm64" && yield
    def on_intel = $processor == "x64" && yield
    def url(text) = puts("url #{text}")
    def sha256(text) = puts("sha256 #{text}")
    def test = nil
  end
  { bin: "bin", man1: "share/man/man1", bash_completion: "etc/bash_completion.d", prefix: "",
    zsh_completion: "share/zsh/site-functions", fish_completion: "share/fish/vendor_completions.d",
  }.each { |name, path| define_method(name) { Place.new(File.join($prefix, path)) } }
end
require "./svc.rb"
Svc.new.install
`;

test('the formula for Homebrew is Ruby, chooses the archive of each system, and copies its files', () => {
  const folder = join(home, 'brew');
  mkdirSync(folder);
  const archive = join(made.folder, `svc-${VERSION}-linux-${process.arch}.tar.gz`);
  run('tar', ['-xzf', archive, '-C', folder]);
  copyFileSync(join(made.folder, 'recipes/homebrew/svc.rb'), join(folder, 'svc.rb'));
  writeFileSync(join(folder, 'homebrew.rb'), HOMEBREW);
  assert.equal(run('ruby', ['-wc', 'svc.rb'], folder), 'Syntax OK\n');
  const sums = readFileSync(join(made.folder, 'SHA256SUMS'), 'utf8');
  for (const system of ['macos', 'linux']) {
    for (const processor of ['arm64', 'x64']) {
      const prefix = join(folder, `${system}-${processor}`);
      const said = run('ruby', ['-w', 'homebrew.rb', system, processor, prefix], folder);
      const file = `svc-${VERSION}-${system}-${processor}.tar.gz`;
      const [sum = ''] =
        sums
          .split('\n')
          .find((line) => line.endsWith(`  ${file}`))
          ?.split(' ') ?? [];
      assert.equal(
        said,
        `desc Profile a game on your machine, and publish it\nhomepage ${ADDRESS}\nlicense Apache-2.0\nurl ${ADDRESS}/${file}\nsha256 ${sum}\nconflicts daemontools\n`,
      );
      for (const path of ['bin/svc', 'share/man/man1/svc.1', 'THIRD-PARTY-NOTICES.txt']) {
        assert.ok(existsSync(join(prefix, path)), path);
      }
    }
  }
});
