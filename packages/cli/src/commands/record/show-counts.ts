// The progress of a recording on stderr: one line that is redrawn on a terminal, a line at the start and at the end elsewhere.
import type { Counts } from '@svc/recorder';
import { formatCount } from '../../output/text.ts';
import type { Io } from '../../process/io.ts';

export type CountsLine = {
  start(): void;
  update(counts: Counts): void;
  /** The recording has ended. `hasFunctions` states whether the functions are read now. */
  ending(hasFunctions: boolean): void;
  /** Clears the line, before other output and at the end. The next update shows it again. */
  clear(): void;
};

/** A `dumb` terminal gets plain lines. */
export function showCounts({ stderr, env }: Pick<Io, 'stderr' | 'env'>): CountsLine {
  const moving = stderr.isTTY === true && env['TERM'] !== 'dumb';
  let startedAt = performance.now();
  const show = (text: string): void => {
    if (moving) stderr.write(`\r\x1b[K${text.slice(0, Math.max(20, (stderr.columns ?? 80) - 1))}`);
    else stderr.write(`${text}\n`);
  };
  let isEnding = false;
  return {
    start() {
      startedAt = performance.now();
      show('Recording. Close the window or press Ctrl-C to end.');
    },
    update(counts) {
      if (moving && !isEnding) show(formatCounts(counts, performance.now() - startedAt));
    },
    ending(hasFunctions) {
      isEnding = true;
      show(hasFunctions ? 'Reading the functions.' : 'Ending the recording.');
    },
    clear() {
      if (moving) stderr.write('\r\x1b[K');
    },
  };
}

/** For example `Recording 12 s  59.9 fps  3 hitches  Ctrl-C to end`. */
function formatCounts({ fps, hitches }: Counts, elapsed_ms: number): string {
  const rate = fps === null ? 'no frames yet' : `${fps.toFixed(1)} fps`;
  const count = hitches === 1 ? '1 hitch' : `${formatCount(hitches)} hitches`;
  return `Recording ${Math.round(elapsed_ms / 1000)} s  ${rate}  ${count}  Ctrl-C to end`;
}
