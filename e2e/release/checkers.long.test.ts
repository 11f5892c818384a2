// What Debian's checkers say about the files of a release.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { extract } from 'tar';
import { VERSION } from '../../packages/cli/src/process/version.ts';
import { SERVER_MANUALS, SHARED_FILES } from '../../release/linux/shared-files.ts';
import { TARGETS } from '../../release/single-file/targets.ts';
import { type Made, makeRelease } from './make-release.ts';

const SYSTEM = `linux-${process.arch}`;

/** The owner of the project replaces the address of the maintainer before the first release. */
const NOT_CHECKED = 'bogus-mail-host,bogus-mail-host-in-debian-changelog';

let made: Made;
let unpacked: string;
before(async () => {
  made = await makeRelease(TARGETS.filter(({ name }) => name === SYSTEM));
  unpacked = join(made.folder, '../unpacked');
  mkdirSync(unpacked);
  for (const name of ['svc', 'svc-server']) {
    const file = join(made.folder, `${name}-${VERSION}-${SYSTEM}.tar.gz`);
    await extract({ file, cwd: unpacked, filter: (path) => path.includes('share/') });
  }
});
after(() => made[Symbol.dispose]());

/** Runs a checker. It must succeed and print nothing. */
function check(command: string, args: readonly string[], input = ''): void {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', input });
  assert.deepEqual([status, stdout], [0, ''], `${command} ${args.join(' ')}\n${stdout}${stderr}`);
}

const skipWithout = (program: string) => ({
  skip: existsSync(`/usr/bin/${program}`) ? false : `${program} is not installed`,
});

test('lintian has no errors and warnings for the packages', skipWithout('lintian'), () => {
  const debs = made.files.filter((name) => name.endsWith('.deb'));
  assert.equal(debs.length, 2);
  const args = ['--fail-on', 'error,warning', '--suppress-tags', NOT_CHECKED];
  check('lintian', [...args, ...debs.map((name) => join(made.folder, name))]);
});

test('shellcheck has no remarks about install.sh', skipWithout('shellcheck'), () => {
  check('shellcheck', [join(made.folder, 'install.sh')]);
});

test('mandoc has no warnings about the manual pages', skipWithout('mandoc'), () => {
  for (const path of [SHARED_FILES.manual, ...Object.values(SERVER_MANUALS)]) {
    check('mandoc', ['-T', 'lint', '-W', 'warning', join(unpacked, path)]);
  }
});

for (const [shell, path, option] of [
  ['bash', SHARED_FILES.bash, '-n'],
  ['zsh', SHARED_FILES.zsh, '-n'],
  ['fish', SHARED_FILES.fish, '--no-execute'],
] as const) {
  test(`${shell} accepts its completions`, skipWithout(shell), () => {
    const file = join(unpacked, path);
    assert.match(readFileSync(file, 'utf8'), /dashboard/);
    check(shell, [option, file]);
  });
}
