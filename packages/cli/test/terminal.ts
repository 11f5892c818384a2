// A terminal for a test, controlled with tmux.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { until } from '../../../scripts/until.ts';

export type Terminal = {
  /** Types keys by their names in tmux (`C-c`, `Enter`), or plain text. */
  type(...keys: string[]): void;
  /** The text on the screen. */
  screen(): string;
  /** Waits until the screen shows the text. Throws with the text of the screen after a time limit. */
  shows(pattern: RegExp): Promise<string>;
};

/** Runs the line and shows its exit code. Ctrl-C reaches only the line, because some shells exit together with their child. */
const SCRIPT = 'trap : INT; eval "$1"; echo "EXIT=$?"; exec sleep 600';

/**
 * Runs a line of `sh` in a new terminal, independent of the user's shell. Null, with the test skipped, if tmux is
 * not installed.
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
    // Not in the test's folder, which is removed before the terminal is closed.
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
