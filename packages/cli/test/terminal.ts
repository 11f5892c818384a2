// A terminal of the test's own, driven by tmux: what a person would see and type.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';

export type Terminal = {
  /** Types keys by tmux's names: `C-c`, `Enter`, or plain text. */
  type(...keys: string[]): void;
  /** What stands on the screen now. */
  screen(): string;
  /** Waits until the screen shows it. */
  shows(pattern: RegExp): Promise<string>;
};

/** Runs a shell line in a new terminal; null, with the test skipped, where there is no tmux. */
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
    `${line}; echo "EXIT=$?"; exec sleep 600`,
  );
  t.after(() => tmux('kill-server'));
  const screen = (): string => tmux('capture-pane', '-p', '-J', '-t', '0');
  return {
    type: (...keys) => void tmux('send-keys', '-t', '0', ...keys),
    screen,
    async shows(pattern) {
      for (let text = screen(); ; text = screen()) {
        if (pattern.test(text)) return text;
        await wait(50);
      }
    },
  };
}
