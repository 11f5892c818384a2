// Counts the lines of a log, so that an alert notices bugs and warnings.
import { Counter, type Registry } from 'prom-client';
import { LOG_LEVELS, type Log } from './log.ts';

/** Returns a log that counts its lines by level in the registry, also those that are not written. */
export function countLines(log: Log, registry: Registry): Log {
  const lines = new Counter({
    name: 'svc_log_lines_total',
    help: 'Lines of the log by level (debug, info, warn, error), also those that SVC_LOG_LEVEL leaves out. error: a bug.',
    labelNames: ['level'],
    registers: [registry],
  });
  // They begin with 0, so that an alert notices the first one.
  for (const level of LOG_LEVELS) lines.inc({ level }, 0);
  const at =
    (level: keyof Log): Log[keyof Log] =>
    (message, fields) => {
      lines.inc({ level });
      log[level](message, fields);
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
