// A terminal of the test's own, driven by tmux: what a person would see and type.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { until } from '../../../scripts/until.ts';

export type Terminal = {
  /** Types keys by tmux's names: `C-c`, `Enter`, or plain text. */
  type(...keys: string[]): void;
  /** What stands on the screen now. */
  screen(): string;
  /** Waits until the screen shows it; throws with the text of the screen where it never does. */
  shows(pattern: RegExp): Promise<string>;
};

/** Runs the line and shows its exit code. Ctrl-C reaches the line alone: some shells end together with their child. */
const SCRIPT = 'trap : INT; eval "$1"; echo "EXIT=$?"; exec sleep 600';

/**
 * Runs a line of `sh` in a new terminal, whatever the user's own shell is; null, with the test skipped, where there is
 * no tmux.
 */
export function openTerminal(
  t: TestContext,
  line: string,
  env: Readonly<Record<string, string>>,
  cwd: string,
): Terminal | null {
  if (!existsSync('/usr/bin/tmux')) {
    t.skip('tmux is not installed');
    return null;
  }
  const socket = `svc-test-${process.pid}-${Math.random().toString(36).slice(2)}`;
  const tmux = (...args: string[]): string => {
    // Not in the test's folder: that is gone when the terminal is closed.
    const options = {
      encoding: 'utf8',
      env: { ...env, TERM: 'xterm-256color' },
      cwd: '/',
      timeout: 30_000,
    } as const;
    const result = spawnSync('/usr/bin/tmux', ['-L', socket, '-f', '/dev/null', ...args], options);
    return result.stdout;
  };
  tmux(
    'new-session',
    '-d',
    '-c',
    cwd,
    '-x',
    '120',
    '-y',
    '40',
    '/bin/sh',
    '-c',
    SCRIPT,
    'sh',
    line,
  );
  t.after(() => tmux('kill-server'));
  const screen = (): string => tmux('capture-pane', '-p', '-J', '-t', '0');
  return {
    type: (...keys) => void tmux('send-keys', '-t', '0', ...keys),
    screen,
    shows: (pattern) => until(screen, (text) => pattern.test(text), `the screen shows ${pattern}`),
  };
}
