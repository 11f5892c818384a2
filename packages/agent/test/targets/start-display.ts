// A private X server without a screen, for programs that draw.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { within } from '../within.ts';

export type Display = AsyncDisposable & {
  /** The command that runs another one, given as its arguments, with this display. */
  readonly through: readonly string[];
};

/** Whether the server is installed. */
export function hasDisplay(): boolean {
  return spawnSync('Xvfb', ['-help'], { stdio: 'ignore' }).error === undefined;
}

/** Starts a server on a free display. Rejects if it can't be started. */
export async function startDisplay(): Promise<Display> {
  const options = ['-displayfd', '3', '-nolisten', 'tcp', '-screen', '0', '640x480x24'];
  const child = spawn('Xvfb', options, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  const exit = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await within(exit, 'the display to end');
  };
  const numbers = child.stdio[3];
  assert.ok(numbers instanceof Readable);
  const lines = createInterface({ input: numbers })[Symbol.asyncIterator]();
  const first = await within(lines.next(), 'the display').catch(async (error) => {
    await stop();
    throw error;
  });
  assert.ok(first.done !== true, 'Xvfb reports its display');
  return {
    // Sound and a session of a desktop are not needed.
    through: ['env', '-u', 'WAYLAND_DISPLAY', `DISPLAY=:${first.value}`, 'SDL_AUDIODRIVER=dummy'],
    [Symbol.asyncDispose]: stop,
  };
}
