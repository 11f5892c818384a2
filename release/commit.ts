// What Git knows about the checkout.
import { spawnSync } from 'node:child_process';
import { ROOT } from '../scripts/workspaces.ts';

export type Commit = {
  readonly id: string;
  /** When it was committed. */
  readonly time: Date;
  /** Files that differ from it, or that it does not have. */
  readonly changed: readonly string[];
};

/** Reads the commit of the checkout. Throws if it is none. */
export function readCommit(): Commit {
  const [id = '', seconds = ''] = git('log', '-1', '--format=%H %ct').trim().split(' ');
  const changed = git('status', '--porcelain')
    .split('\n')
    .filter((line) => line !== '');
  return { id, time: new Date(Number(seconds) * 1000), changed };
}

function git(...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')} failed: ${error?.message ?? stderr}`);
  return stdout;
}
