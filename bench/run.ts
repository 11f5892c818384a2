// `npm run bench [-- NAME …]`: installs the other programs, then runs all bench/*.bench.ts or the named ones. A name is a
// benchmark (`collector-frame`) or the start of several (`collector`). Each prints ratios that were measured in one run, with
// the version of the other program. Benchmarks are not tests.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildBrowserCode } from '../scripts/build-browser.ts';

const FOLDER = import.meta.dirname;

function main(names: readonly string[]): void {
  const files = globSync('*.bench.ts', { cwd: FOLDER }).sort();
  const chosen = files.filter((file) => {
    const own = basename(file, '.bench.ts');
    return names.length === 0 || names.some((name) => own === name || own.startsWith(`${name}-`));
  });
  if (chosen.length === 0) {
    console.error(
      `Unknown benchmark. Available: ${files.map((f) => basename(f, '.bench.ts')).join(', ')}`,
    );
    process.exitCode = 2;
    return;
  }
  installPeers();
  buildBrowserCode();
  for (const file of chosen) {
    console.log(`\n# ${basename(file, '.bench.ts')}`);
    const { status } = spawnSync(process.execPath, [join(FOLDER, file)], { stdio: 'inherit' });
    if (status !== 0) process.exitCode = 1;
  }
}

function installPeers(): void {
  if (existsSync(join(FOLDER, 'node_modules'))) return;
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: FOLDER,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('Cannot install the peers of the benchmarks');
}

main(process.argv.slice(2));
