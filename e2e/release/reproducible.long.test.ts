// Two clones of the commit, in different folders, time zones, languages and modes of new files, give releases with the same bytes.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { bareEnvironment, temporaryFolder } from '../../packages/cli/test/svc.ts';
import { ROOT } from '../../scripts/workspaces.ts';

const SYSTEM = `linux-${process.arch}`;

function run(command: string, args: readonly string[], cwd: string, env = process.env): void {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: 'utf8' });
  assert.equal(status, 0, `${command} ${args.join(' ')}\n${stdout}${stderr}`);
}

test('two releases of the commit have the same bytes', (t) => {
  const home = temporaryFolder(t);
  const releaseIn = (
    name: string,
    mask: string,
    env: Readonly<Record<string, string>>,
  ): Map<string, string> => {
    const clone = join(home, name);
    run('git', ['clone', '--quiet', '--no-hardlinks', ROOT, clone], home);
    // The packages that npm installed, with the links to the sources of the clone.
    run('cp', ['-a', join(ROOT, 'node_modules'), clone], home);
    const script = `umask ${mask} && exec "$0" release/release.ts --out out --targets ${SYSTEM}`;
    run('sh', ['-c', script, process.execPath], clone, bareEnvironment(home, env));
    const lines = readFileSync(join(clone, 'out/SHA256SUMS'), 'utf8').trim().split('\n');
    return new Map(
      lines.map((line) => {
        const [sum = '', file = ''] = line.split('  ');
        return [file, sum];
      }),
    );
  };
  const one = releaseIn('one', '022', { TZ: 'UTC', LC_ALL: 'C.UTF-8' });
  const other = releaseIn('another-folder', '077', { TZ: 'Pacific/Auckland', LC_ALL: 'C' });
  assert.ok(one.size >= 10, [...one.keys()].join(' '));
  assert.deepEqual(other, one);
});
