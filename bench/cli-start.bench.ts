// Time to print version and help: svc as installed by npm, as a single executable and from source, compared with wrangler and npm.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../scripts/workspaces.ts';
import { installExecutable, installSvc } from './install-svc.ts';

const RUNS = 15;
const NODE = process.execPath;

type Program = { readonly name: string; readonly command: readonly string[] };

const folder = mkdtempSync(join(tmpdir(), 'svc-start-'));
try {
  const programs: Program[] = [
    { name: 'svc, installed', command: [NODE, await installSvc(folder)] },
    { name: 'svc, executable', command: [await installExecutable(folder)] },
    { name: 'svc, from source', command: [NODE, join(ROOT, 'packages/cli/bin/svc.mjs')] },
    {
      name: `wrangler ${peerVersion('wrangler')}`,
      command: [NODE, peer('wrangler/bin/wrangler.js')],
    },
    { name: `npm ${npmVersion()}`, command: [NODE, npmEntry()] },
  ];
  for (const argument of ['--version', '--help']) compare(argument, programs);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Runs the programs in turns, so that other load affects all equally. Prints medians and ratios to the first program. */
function compare(argument: string, programs: readonly Program[]): void {
  const times = programs.map((): number[] => []);
  for (let run = -1; run < RUNS; run++) {
    programs.forEach(({ command }, at) => {
      const ms = measure([...command, argument]);
      if (run >= 0) times[at]?.push(ms);
    });
  }
  const medians = times.map((list) => list.toSorted((a, b) => a - b)[RUNS >> 1] ?? Number.NaN);
  const [base = Number.NaN] = medians;
  programs.forEach(({ name }, at) => {
    const ms = medians[at] ?? Number.NaN;
    console.log(
      `${argument}  ${name.padEnd(24)} ${ms.toFixed(0).padStart(5)} ms  ${(ms / base).toFixed(2)} × svc, installed`,
    );
  });
}

function measure([program = '', ...args]: readonly string[]): number {
  const before = performance.now();
  const { status, error } = spawnSync(program, args, {
    stdio: 'ignore',
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, CI: '1', WRANGLER_SEND_METRICS: 'false' },
  });
  // `npm --help` exits with 1.
  if (status !== 0 && status !== 1) {
    throw new Error(`Cannot run ${program} ${args.join(' ')}: ${error?.message ?? status}`);
  }
  return performance.now() - before;
}

function peer(path: string): string {
  const whole = join(import.meta.dirname, 'node_modules', path);
  if (!existsSync(whole))
    throw new Error('Cannot measure: run npm run bench, which installs peers');
  return whole;
}

function peerVersion(name: string): string {
  const manifest = readFileSync(peer(`${name}/package.json`), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

function npmVersion(): string {
  return spawnSync('npm', ['--version'], { encoding: 'utf8' }).stdout.trim();
}

function npmEntry(): string {
  const root = spawnSync('npm', ['root', '--global'], { encoding: 'utf8' }).stdout.trim();
  return join(root, 'npm/bin/npm-cli.js');
}
