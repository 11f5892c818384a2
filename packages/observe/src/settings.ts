// The operator's settings of logs and metrics, the same for all servers.
import { LOG_LEVELS, type LogLevel } from './log/log.ts';
import type { LogOptions } from './log/open-log.ts';

export type ObserveSettings = {
  readonly logLevel: LogLevel;
  /** Null: text on a terminal, else JSON. */
  readonly logFormat: LogOptions['format'] | null;
  /** Whether lines of requests have the address of the client. */
  readonly logAddresses: boolean;
  /** Where the metrics are served. Port 0 is a free one. Null: they are not served. */
  readonly metrics: { readonly host: string; readonly port: number } | null;
  /** Where spans are sent, and the share of requests that are recorded, 0 to 1. Null: nothing is recorded. */
  readonly traces: { readonly url: string; readonly ratio: number } | null;
};

const HOST = '127.0.0.1';
const MOST_PORT = 65_535;

/** Reads the settings. Adds a fault for each invalid one to the list, without its value. */
export function readObserveSettings(
  environment: Readonly<Record<string, string | undefined>>,
  faults: string[],
): ObserveSettings {
  const text = (name: string): string | null => environment[name]?.trim() || null;
  const oneOf = <Value extends string>(name: string, values: readonly Value[]): Value | null => {
    const value = text(name);
    const known = values.find((one) => one === value) ?? null;
    if (value !== null && known === null) {
      faults.push(`${name}: must be one of ${values.join(', ')}`);
    }
    return known;
  };
  const port = text('SVC_METRICS_PORT');
  const isPort = port === null || (/^\d{1,5}$/.test(port) && Number(port) <= MOST_PORT);
  if (!isPort) faults.push(`SVC_METRICS_PORT: must be a port from 0 to ${MOST_PORT}`);
  const host = text('SVC_METRICS_HOST') ?? HOST;
  const url = text('SVC_TRACES_URL');
  if (url !== null && !isAddress(url)) {
    faults.push('SVC_TRACES_URL: must be an http or https address');
  }
  const ratio = text('SVC_TRACES_RATIO') ?? '1';
  if (!/^(?:0|1|0?\.\d{1,9}|1\.0+)$/.test(ratio)) {
    faults.push('SVC_TRACES_RATIO: must be a number from 0 to 1');
  }
  return {
    logLevel: oneOf('SVC_LOG_LEVEL', LOG_LEVELS) ?? 'info',
    logFormat: oneOf('SVC_LOG_FORMAT', ['json', 'text']),
    logAddresses: oneOf('SVC_LOG_ADDRESSES', ['on', 'off']) === 'on',
    metrics: port === null ? null : { host, port: Number(port) },
    traces: url === null ? null : { url, ratio: Number(ratio) },
  };
}

function isAddress(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}
