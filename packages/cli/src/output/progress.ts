// Progress of a long transfer on stderr: one line that is redrawn on a terminal, a new line every ten seconds elsewhere.
import { bytesText } from '@svc/trace/number-text';
import type { Sink } from '../process/io.ts';
import { formatDuration } from './text.ts';

export type Progress = {
  /** Shows progress. `bytes` counts from the start. */
  update(bytes: number): void;
  /** Clears the line. Call it last. */
  end(): void;
};

const REDRAW_MS = 100;
const PLAIN_LINE_MS = 10_000;
/** Without a terminal, smaller transfers print nothing. */
const PLAIN_LEAST_BYTES = 8 * 1024 * 1024;

/** Shows `label` with percentage, rate and time left. `term` is the value of TERM; a `dumb` terminal gets plain lines. */
export function showProgress(
  sink: Sink,
  label: string,
  totalBytes: number,
  term: string | undefined,
): Progress {
  const moving = sink.isTTY === true && term !== 'dumb';
  const startedAt = performance.now();
  let shownAt = moving ? Number.NEGATIVE_INFINITY : startedAt;
  let drawn = false;
  return {
    update(bytes) {
      const now = performance.now();
      const wait = moving ? REDRAW_MS : PLAIN_LINE_MS;
      if (now - shownAt < wait || (!moving && totalBytes < PLAIN_LEAST_BYTES)) return;
      shownAt = now;
      const text = formatProgress(label, bytes, totalBytes, now - startedAt);
      if (moving) sink.write(`\r\x1b[K${text.slice(0, Math.max(20, (sink.columns ?? 80) - 1))}`);
      else sink.write(`${text}\n`);
      drawn = moving;
    },
    end() {
      if (drawn) sink.write('\r\x1b[K');
      drawn = false;
    },
  };
}

/** For example `Uploading 45 %  12 MiB of 27 MiB  3.1 MiB/s  5 s left`. The rate is the mean since the start. */
export function formatProgress(label: string, bytes: number, total: number, ms: number): string {
  const share = total > 0 ? Math.min(100, Math.floor((bytes / total) * 100)) : 100;
  const rate = ms > 0 ? (bytes / ms) * 1000 : 0;
  const left = rate > 0 ? Math.max(0, (total - bytes) / rate) * 1000 : null;
  const parts = [`${label} ${share} %`, `${bytesText(bytes)} of ${bytesText(total)}`];
  if (ms > 500 && rate > 0) parts.push(`${bytesText(Math.round(rate))}/s`);
  if (ms > 500 && left !== null)
    parts.push(`${formatDuration(Math.ceil(left / 1000) * 1000)} left`);
  return parts.join('  ');
}
