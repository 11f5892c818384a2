// A line on a terminal that shows that a wait goes on, and for how long. Nothing where no person watches.
import type { Io } from '../process/io.ts';
import { formatDuration } from './text.ts';

/** A shorter wait shows nothing. */
const QUIET_MS = 2000;
const REDRAW_MS = 125;
const FRAMES = ['|', '/', '-', '\\'] as const;

/**
 * Shows on stderr that something is awaited, once two seconds have passed, until it is disposed of.
 * Not where stderr is no terminal or a dumb one, and not with NO_COLOR.
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
