// The progress of a recording of a process on stderr: one line that is redrawn on a terminal, a line at the start elsewhere.
import type { Metric, Target } from '@svc/contracts/agent';
import { bytesText } from '@svc/trace/number-text';
import { safeLine } from '../../output/text.ts';
import type { Io } from '../../process/io.ts';

export type Progress = {
  start(target: Target): void;
  update(metric: Metric): void;
  /** Clears the line, before other output and at the end. */
  clear(): void;
};

/** A `dumb` terminal gets a plain line, and so does any if the line must not be `redrawn`. */
export function showProgress(
  { stderr, env }: Pick<Io, 'stderr' | 'env'>,
  redrawn: boolean,
): Progress {
  const moving = redrawn && stderr.isTTY === true && env['TERM'] !== 'dumb';
  return {
    start: ({ name, pid }) =>
      void stderr.write(
        `Recording ${safeLine(name)}, PID ${pid}. Press Ctrl-C to end.${moving ? '' : '\n'}`,
      ),
    update(metric) {
      if (moving) stderr.write(`\r\x1b[K${progressText(metric)}`);
    },
    clear() {
      if (moving) stderr.write('\r\x1b[K');
    },
  };
}

/** For example `Recording 12 s  97 % CPU  120 MiB  Ctrl-C to end`. */
function progressText({ t, cpu_percent, rss_bytes }: Metric): string {
  const cpu = cpu_percent === null ? '' : `${Math.round(cpu_percent)} % CPU  `;
  return `Recording ${Math.round(t / 1000)} s  ${cpu}${bytesText(rss_bytes)}  Ctrl-C to end`;
}
