// install.sh with small archives: what it installs, refuses and removes, also when it is interrupted.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { bareEnvironment, temporaryFolder } from '../../packages/cli/test/svc.ts';
import { writeArchive } from '../../release/archive.ts';
import { writeInstallers } from '../../release/installers/write-installers.ts';
import { SHARED_FILES } from '../../release/linux/shared-files.ts';
import { until } from '../../scripts/until.ts';

const SYSTEM = `${process.platform === 'darwin' ? 'macos' : 'linux'}-${process.arch}`;
const INSTALLED = [
  'bin/svc',
  ...Object.values(SHARED_FILES),
  'share/doc/svc/LICENSE',
  'share/doc/svc/THIRD-PARTY-NOTICES.txt',
  'share/doc/svc/installed-files',
].sort();
const skip = process.platform === 'win32' ? 'there is no sh' : false;

let releases: string;
before(() => {
  releases = mkdtempSync(join(tmpdir(), 'svc-install-'));
});
after(() => rmSync(releases, { recursive: true, force: true }));

/** What the fake svc of a version does. */
const works = (version: string): string => `#!/bin/sh\necho ${version}\n`;

/** A release whose svc is a script. Returns its folder. */
async function makeFakeRelease(
  version: string,
  { program = works(version), address = null as string | null } = {},
): Promise<string> {
  const out = mkdtempSync(join(releases, 'release-'));
  const folder = mkdtempSync(join(releases, 'files-'));
  for (const path of [
    'svc',
    'LICENSE',
    'THIRD-PARTY-NOTICES.txt',
    ...Object.values(SHARED_FILES),
  ]) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), path === 'svc' ? program : `${path} of ${version}\n`);
  }
  chmodSync(join(folder, 'svc'), 0o755);
  const name = `svc-${version}-${SYSTEM}.tar.gz`;
  await writeArchive({ folder, inside: '', file: join(out, name), time: new Date(0) });
  const sum = createHash('sha256')
    .update(readFileSync(join(out, name)))
    .digest('hex');
  writeInstallers({ out, version, address, sums: new Map([[name, sum]]) });
  return out;
}

function newHome(t: TestContext) {
  const home = temporaryFolder(t);
  const temporary = join(home, 'tmp');
  mkdirSync(temporary);
  const env = bareEnvironment(home, { TMPDIR: temporary });
  const run = (release: string, ...args: string[]) => {
    const all = [join(release, 'install.sh'), ...args];
    const { status, stdout, stderr } = spawnSync('sh', all, { cwd: home, env, encoding: 'utf8' });
    return { status, stdout, stderr };
  };
  /** The files below a folder, without the empty folder for temporary files. */
  const files = (folder = home): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((one) => !one.isDirectory())
      .map((one) => join(one.parentPath, one.name).slice(folder.length + 1))
      .sort();
  return { home, env, run, files, temporary };
}

test('it installs below ~/.local, says so, and removes everything', { skip }, async (t) => {
  const release = await makeFakeRelease('1.2.3');
  const { home, run, files } = newHome(t);
  const { status, stdout, stderr } = run(release, '--from', release);
  assert.deepEqual([status, stderr], [0, '']);
  assert.deepEqual(files(join(home, '.local')), INSTALLED);
  assert.equal(
    readFileSync(join(home, '.local', SHARED_FILES.manual), 'utf8'),
    `${SHARED_FILES.manual} of 1.2.3\n`,
  );
  for (const path of INSTALLED.filter((one) => !one.endsWith('installed-files'))) {
    assert.ok(stdout.includes(`Installed ${home}/.local/${path}\n`), path);
  }
  assert.match(stdout, /The SHA-256 is correct\.[\s\S]*svc 1\.2\.3 is installed\. Add its folder/);
  assert.ok(stdout.includes(`export PATH='${home}/.local/bin':"$PATH"`));
  const removed = run(release, '--uninstall');
  assert.deepEqual([removed.status, removed.stderr], [0, '']);
  assert.deepEqual(readdirSync(home), ['tmp']);
  assert.equal(run(release, '--uninstall').status, 1);
});

test('the prefix may be relative, end with a slash, and contain spaces and quotes', {
  skip,
}, async (t) => {
  const release = await makeFakeRelease('1.2.3');
  const { home, run, files } = newHome(t);
  const { status, stdout } = run(release, '--from', release, '--prefix', "a 'b/");
  assert.equal(status, 0);
  assert.deepEqual(files(join(home, "a 'b")), INSTALLED);
  const [, line = ''] = /^ {2}(export PATH=.*)$/m.exec(stdout) ?? [];
  const found = spawnSync('sh', ['-c', `${line}; svc --version`], { encoding: 'utf8' });
  assert.equal(found.stdout, '1.2.3\n');
  assert.equal(run(release, '--uninstall', '--prefix', "a 'b").status, 0);
  assert.deepEqual(readdirSync(home), ['tmp']);
});

test('with its folder in PATH it names the next command', { skip }, async (t) => {
  const release = await makeFakeRelease('1.2.3');
  const { home, env } = newHome(t);
  env['PATH'] = `${home}/bin:${env['PATH']}`;
  const args = [join(release, 'install.sh'), '--from', release, '--prefix', `${home}/`];
  assert.match(
    spawnSync('sh', args, { env, encoding: 'utf8' }).stdout,
    /is installed\. Run svc help\.\n/,
  );
});

test('an update replaces the files, and removes what only the version before had', {
  skip,
}, async (t) => {
  const [old, next] = [await makeFakeRelease('1.0.0'), await makeFakeRelease('1.1.0')];
  const { home, run, files } = newHome(t);
  assert.equal(run(old, '--from', old).status, 0);
  const [prefix, list] = [join(home, '.local'), join(home, '.local/share/doc/svc/installed-files')];
  mkdirSync(join(prefix, 'share/old'));
  writeFileSync(join(prefix, 'share/old/one'), '');
  writeFileSync(list, `${readFileSync(list, 'utf8')}share/old/one\n`);
  assert.equal(run(next, '--from', next).status, 0);
  assert.deepEqual(files(prefix), INSTALLED);
  assert.ok(!existsSync(join(prefix, 'share/old')));
  assert.equal(spawnSync(join(prefix, 'bin/svc'), { encoding: 'utf8' }).stdout, '1.1.0\n');
});

test('an archive that is not of the release, is cut off or is missing changes nothing', {
  skip,
}, async (t) => {
  const release = await makeFakeRelease('1.2.3');
  const archive = join(release, `svc-1.2.3-${SYSTEM}.tar.gz`);
  const bytes = readFileSync(archive);
  const { home, run } = newHome(t);
  for (const wrong of [
    Buffer.concat([bytes, Buffer.of(0)]),
    bytes.subarray(0, -1),
    Buffer.alloc(0),
  ]) {
    writeFileSync(archive, wrong);
    const { status, stderr } = run(release, '--from', release);
    assert.equal(status, 1);
    assert.match(
      stderr,
      /is not the file of this release: its SHA-256 is [\da-f]{64}, not [\da-f]{64}\./,
    );
    assert.deepEqual(readdirSync(home), ['tmp']);
  }
  renameSync(archive, `${archive}.other`);
  assert.notEqual(run(release, '--from', release).status, 0);
  assert.deepEqual(readdirSync(home, { recursive: true }), ['tmp']);
});

test('an executable that does not run is not installed, and an older one stays', {
  skip,
}, async (t) => {
  const release = await makeFakeRelease('1.2.3', { program: '#!/bin/sh\nexit 127\n' });
  const { home, run, files } = newHome(t);
  const refused = run(release, '--from', release);
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /does not run on this system/);
  assert.deepEqual(readdirSync(home), ['tmp']);
  const old = await makeFakeRelease('1.0.0');
  assert.equal(run(old, '--from', old).status, 0);
  assert.equal(run(release, '--from', release).status, 1);
  assert.deepEqual(files(join(home, '.local')), INSTALLED);
  assert.equal(spawnSync(join(home, '.local/bin/svc'), { encoding: 'utf8' }).stdout, '1.0.0\n');
});

test('files of others are not replaced', { skip }, async (t) => {
  const release = await makeFakeRelease('1.2.3');
  const { home, run, files } = newHome(t);
  mkdirSync(join(home, '.local/bin'), { recursive: true });
  writeFileSync(join(home, '.local/bin/svc'), 'of npm');
  const { status, stderr } = run(release, '--from', release);
  assert.equal(status, 1);
  assert.match(stderr, /bin\/svc exists already/);
  assert.deepEqual(files(), ['.local/bin/svc']);
  mkdirSync(join(home, 'other', SHARED_FILES.fish), { recursive: true });
  assert.match(run(release, '--from', release, '--prefix', 'other').stderr, /is a folder/);
  assert.deepEqual(files(join(home, 'other')), []);
});

for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
  test(`after ${signal} in the middle, --uninstall removes everything`, { skip }, async (t) => {
    const release = await makeFakeRelease('1.2.3', {
      program: '#!/bin/sh\necho 1.2.3\n: >started\nwhile [ -e started ]; do sleep 0.05; done\n',
    });
    const { home, env, run, files, temporary } = newHome(t);
    const args = [join(release, 'install.sh'), '--from', release, '--prefix', 'p'];
    const child = spawn('sh', args, { cwd: home, env, stdio: 'ignore' });
    const exited = new Promise((resolve) => child.once('exit', resolve));
    const started = join(home, 'started');
    await until(() => existsSync(started), Boolean, 'the executable is tried');
    child.kill(signal);
    if (signal === 'SIGKILL') await exited;
    rmSync(started);
    await exited;
    if (signal === 'SIGTERM') {
      assert.ok(
        files().every((path) => !path.endsWith('.new')),
        files().join(' '),
      );
      assert.deepEqual(readdirSync(temporary), []);
    }
    assert.equal(run(release, '--uninstall', '--prefix', 'p').status, 0);
    assert.deepEqual(readdirSync(home), ['tmp']);
  });
}

test('it downloads the archive from the address of the release', { skip }, async (t) => {
  let release = '';
  const server = createServer((request, response) => {
    response.end(readFileSync(join(release, basename(request.url ?? ''))));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  release = await makeFakeRelease('1.2.3', { address: `http://127.0.0.1:${port}/releases` });
  const { home, env, files } = newHome(t);
  const child = spawn('sh', [join(release, 'install.sh')], { cwd: home, env, stdio: 'pipe' });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => (output += String(chunk)));
  }
  assert.equal(await new Promise((resolve) => child.once('close', resolve)), 0, output);
  assert.match(output, /^Downloading http:\/\/127\.0\.0\.1:\d+\/releases\/svc-1\.2\.3-/m);
  assert.deepEqual(files(join(home, '.local')), INSTALLED);
});

test('wrong options, and a script that is read from standard input, are understood', {
  skip,
}, async (t) => {
  const release = await makeFakeRelease('1.2.3');
  const { home, env, run } = newHome(t);
  for (const args of [['--nothing'], ['--prefix'], ['--prefix', ''], ['--from']]) {
    assert.equal(run(release, ...args).status, 1, args.join(' '));
  }
  assert.match(run(release).stderr, /has no address to download from/);
  const input = readFileSync(join(release, 'install.sh'));
  const piped = (script: Buffer, ...args: string[]) =>
    spawnSync('sh', ['-s', '--', ...args], { cwd: home, env, encoding: 'utf8', input: script });
  assert.match(piped(input, '--help').stdout, /^Installs svc 1\.2\.3 for one user, without root\./);
  // A download that is cut off does nothing.
  const cut = piped(input.subarray(0, input.lastIndexOf('main "$@"')), '--from', release);
  assert.deepEqual([cut.status, cut.stdout, cut.stderr], [0, '', '']);
  assert.deepEqual(readdirSync(home), ['tmp']);
});
