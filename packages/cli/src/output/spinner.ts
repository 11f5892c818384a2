// A line on a terminal that shows how long svc has been waiting.
import type { Io } from '../process/io.ts';
import { formatDuration } from './text.ts';

/** Shorter waits show nothing. */
const QUIET_MS = 2000;
const REDRAW_MS = 125;
const FRAMES = ['|', '/', '-', '\\'] as const;

/**
 * Shows the label and the elapsed time on stderr after two seconds, until it is disposed of. Shows nothing if stderr is not a
 * terminal, on a dumb terminal and with NO_COLOR.
 */
export function startSpinner(
  { stderr, env }: Pick<Io, 'stderr' | 'env'>,
  label: string,
): Disposable {
  if (stderr.isTTY !== true || env['TERM'] === 'dumb' || (env['NO_COLOR'] ?? '') !== '') {
    return { [Symbol.dispose]() {} };
  }
  const startedAt = performance.now();
  let frame = 0;
  const draw = (): void => {
    const ms = performance.now() - startedAt;
    if (ms < QUIET_MS) return;
    const seconds = formatDuration(Math.floor(ms / 1000) * 1000);
    const text = `${FRAMES[frame++ % FRAMES.length]} ${label}  ${seconds}`;
    stderr.write(`\r\x1b[K${text.slice(0, Math.max(20, (stderr.columns ?? 80) - 1))}`);
  };
  const timer = setInterval(draw, REDRAW_MS);
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      if (frame > 0) stderr.write('\r\x1b[K');
    },
  };
}
