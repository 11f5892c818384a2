// How the helper is started, as root and through sudo, and which answers are shown to the user.
// Shell scripts take the place of sudo and of the helper.
import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '../../../../scripts/until.ts';
import { within } from '../../test/within.ts';
import { askHelper, helperFault } from './probe-helper.ts';
import type { Program } from './probe-programs.ts';

const isRoot = process.getuid?.() === 0;
const skip = !isRoot && 'kernel: only root can install the helper';

/** A folder with a helper, and with a `sudo` in PATH that runs these lines. */
function fakes(t: TestContext, { sudo = '', helper = '' }) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-helper-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const paths = { sudo: join(folder, 'sudo'), helper: join(folder, 'svc-probe') };
  writeFileSync(paths.sudo, `#!/bin/bash\n${sudo}\n`);
  writeFileSync(paths.helper, `${helper}\n`);
  for (const path of Object.values(paths)) chmodSync(path, 0o755);
  const { PATH = '' } = process.env;
  process.env['PATH'] = `${folder}:${PATH}`;
  t.after(() => {
    process.env['PATH'] = PATH;
  });
  return { folder, ...paths, env: { PATH: `${folder}:${PATH}`, LC_ALL: 'C' } };
}

/** The program in a file. */
function programAt(path: string): Program {
  return { text: readFileSync(path, 'utf8'), path };
}

/** Asks as a user who is not root. */
async function askAsUser(
  t: TestContext,
  installed: string,
  program: Program = programAt(installed),
) {
  const { mock } = t.mock.method(process as { geteuid(): number }, 'geteuid', () => 1_000);
  const offer = askHelper(7, program, installed);
  mock.restore();
  return await within(offer, 'the answer');
}

test('askHelper: a user starts the installed helper through sudo, which never asks for a password', {
  skip,
}, async (t) => {
  const { folder, helper, env } = fakes(t, {
    sudo: 'cd "$(dirname "$0")"; printf "%s " "$@" "secret:$SVC_TEST_SECRET" >asked; echo "#can frames"; echo "#can stacks"; echo "#cannot files no tracefs"',
  });
  process.env['SVC_TEST_SECRET'] = 'sk-1';
  t.after(() => delete process.env['SVC_TEST_SECRET']);
  const { obstacles, command } = await askAsUser(t, helper);
  assert.deepEqual(obstacles, { frames: null, stacks: null, files: 'no tracefs' });
  const asked = readFileSync(join(folder, 'asked'), 'utf8');
  assert.equal(asked, `-n -- ${helper} 7 check secret: `);
  const args = ['-n', '--', helper, '7', 'files'];
  assert.deepEqual(command('files'), { file: 'sudo', args, env, announces: true });
});

test('askHelper: sudo is not started if the helper is not installed', { skip }, async (t) => {
  const { folder } = fakes(t, { sudo: ': >"$(dirname "$0")/asked"' });
  const { obstacles } = await askAsUser(t, join(folder, 'none'), { text: '', path: null });
  assert.match(
    obstacles.stacks ?? '',
    /the helper is not installed; run `sudo svc probes install`$/,
  );
  assert.equal(obstacles.files, obstacles.stacks);
  assert.equal(existsSync(join(folder, 'asked')), false);
});

test('askHelper: root starts the helper itself, and Bash ignores the environment of the user', {
  skip,
}, async (t) => {
  const { helper, env } = fakes(t, {
    helper: 'echo "#can $2 $SUDO_UID"; echo "#can stacks"; echo "#cannot files $- $1"',
  });
  const { obstacles, command } = await within(askHelper(7, programAt(helper)), 'the answer');
  assert.equal(obstacles.stacks, null);
  assert.match(obstacles.files ?? '', /^\w*p\w* 7$/, 'Bash runs with -p');
  assert.deepEqual(command('stacks'), {
    file: '/bin/bash',
    args: ['-p', helper, '7', 'stacks'],
    env: { ...env, SUDO_UID: '0' },
    announces: true,
  });
});

test('askHelper: root starts the installed helper if svc is one file, and it must be the same version', {
  skip,
}, async (t) => {
  const { helper } = fakes(t, {
    helper: 'echo "#can frames"; echo "#can stacks"; echo "#can files"',
  });
  const { text } = programAt(helper);
  const { obstacles, command } = await askHelper(7, { text, path: null }, helper);
  assert.deepEqual(obstacles, { frames: null, stacks: null, files: null });
  assert.deepEqual(command('files').args, ['-p', helper, '7', 'files']);
  const other = await askHelper(7, { text: `${text}\n`, path: null }, helper);
  assert.match(
    other.obstacles.stacks ?? '',
    /another version of svc; run `sudo svc probes install`/,
  );
});

test('askHelper: what another program prints is shown as one short line, and a flood is cut', {
  skip,
}, async (t) => {
  const flood = 'head -c 300000 /dev/zero | tr "\\\\0" x';
  const { helper } = fakes(t, {
    sudo: `printf 'broken\\x1b[31m\\n pipe ' >&2; ${flood} >&2; ${flood}; echo; echo "#can stacks"`,
  });
  const { obstacles } = await askAsUser(t, helper);
  assert.match(obstacles.stacks ?? '', /^broken \[31m {1,2}pipe x+$/);
  assert.equal(obstacles.stacks?.length, 200);
});

test('askHelper: a helper that does not answer within 5 s is reported', { skip }, async (t) => {
  const { folder, helper } = fakes(t, { sudo: ': >"$(dirname "$0")/asked"; exec sleep 2' });
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const asked = askAsUser(t, helper);
  await until(
    () => existsSync(join(folder, 'asked')),
    (there) => there,
    'sudo runs',
  );
  t.mock.timers.tick(5_000);
  assert.equal((await asked).obstacles.stacks, 'sudo did not answer within 5 s');
});

test('askHelper: a missing sudo is reported', { skip }, async (t) => {
  const { helper, sudo } = fakes(t, {});
  rmSync(sudo);
  process.env['PATH'] = '/nowhere';
  assert.match((await askAsUser(t, helper)).obstacles.stacks ?? '', /^spawn sudo ENOENT$/);
});

test("helperFault: a helper that can't be read is not reported as missing", { skip }, (t) => {
  const { helper } = fakes(t, {});
  const path = join(helper, 'below-a-file');
  assert.match(helperFault(path, '') ?? '', /can't be read \(ENOTDIR\); run `sudo svc probes/);
});

test('helperFault: a helper behind a link to its folder is refused', { skip }, (t) => {
  const { folder, helper } = fakes(t, {});
  const link = `${folder}-link`;
  symlinkSync(folder, link);
  t.after(() => rmSync(link));
  assert.equal(helperFault(helper, readFileSync(helper, 'utf8')), null);
  assert.match(helperFault(join(link, 'svc-probe'), '') ?? '', /is not a regular file/);
});
