// Starts svc so that it takes this machine for another system, with stand-ins for the programs of that system.
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Dashboard, followDashboard } from '../../packages/cli/test/start-dashboard.ts';
import { bareEnvironment, SVC, temporaryFolder } from '../../packages/cli/test/svc.ts';

export type OtherSystem = 'macos' | 'windows';

/** The stand-ins for programs of macOS. The simulation of Windows has its own. */
const MACOS_PROGRAMS = { osascript: 'osascript-program.ts', sysctl: 'sysctl-program.ts' };

/** Starts `svc` on a system. Its home folder is `home`. It is killed when the test ends. */
export function startOn(
  t: TestContext,
  system: OtherSystem,
  home: string,
  args: readonly string[],
) {
  const programs = join(home, 'programs');
  mkdirSync(programs, { recursive: true });
  for (const [name, file] of Object.entries(MACOS_PROGRAMS)) {
    const script = `#!/bin/sh\nexec "${process.execPath}" "${join(import.meta.dirname, file)}" "$@"\n`;
    writeFileSync(join(programs, name), script, { mode: 0o755 });
  }
  const flags = [
    '--disable-warning=ExperimentalWarning',
    '--import',
    join(import.meta.dirname, `simulate-${system}.ts`),
  ];
  const env = bareEnvironment(home, {
    PATH: `${programs}:${process.env['PATH'] ?? ''}`,
    TMPDIR: home,
  });
  const child = spawn(process.execPath, [...flags, SVC, ...args], {
    cwd: home,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

/** Starts `svc dashboard` on a system. */
export async function startDashboardOn(
  t: TestContext,
  system: OtherSystem,
  args: readonly string[],
): Promise<Dashboard & { readonly home: string }> {
  const home = temporaryFolder(t);
  const child = startOn(t, system, home, ['dashboard', '--json', '--port', '0', ...args]);
  return { ...(await followDashboard(child)), home };
}

/** The running stand-ins that were started from a home folder. */
export function standInsOf(home: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const isOwn = readFileSync(`/proc/${pid}/environ`, 'latin1')
          .split('\0')
          .includes(`HOME=${home}`);
        return isOwn && /-program\.ts/.test(readFileSync(`/proc/${pid}/cmdline`, 'latin1'));
      } catch {
        return false;
      }
    })
    .map(Number);
}
