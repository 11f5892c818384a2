// Parses durations, sizes, counts, ports and process ids from the command line. Each parser throws InvalidValueError with the reason.
import { InvalidValueError } from './define-command.ts';

const DURATION_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** The smallest and the largest accepted value, as written on the command line: `1s`, `24h`. */
export type Range = { readonly least: string; readonly most: string };

/** Parses `500ms`, `30s`, `15m` or `8h`, with decimals, as milliseconds. Throws for other texts and outside the range. */
export function parseDuration(text: string, { least, most }: Range): number {
  const ms = durationOf(text);
  if (ms === null) throw new InvalidValueError('Write a duration such as 30s, 15m or 8h.');
  if (ms < (durationOf(least) ?? 0) || ms > (durationOf(most) ?? Number.POSITIVE_INFINITY)) {
    throw new InvalidValueError(`It must be from ${least} to ${most}.`);
  }
  return Math.round(ms);
}

function durationOf(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)(ms|[smh])$/.exec(text);
  return match === null ? null : Number(match[1]) * (DURATION_MS[match[2] ?? ''] ?? 0);
}

const SIZE_BYTES: Readonly<Record<string, number>> = {
  B: 1,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
};

/** Parses `256MiB`, `2GiB`, `500MB` or a number of bytes, as bytes. Throws for other texts and outside the range. */
export function parseSize(text: string, { least, most }: Range): number {
  const bytes = sizeOf(text);
  if (bytes === null) throw new InvalidValueError('Write a size such as 512KiB, 256MiB or 2GiB.');
  if (bytes < (sizeOf(least) ?? 0) || bytes > (sizeOf(most) ?? Number.MAX_SAFE_INTEGER)) {
    throw new InvalidValueError(`It must be from ${least} to ${most}.`);
  }
  return Math.floor(bytes);
}

function sizeOf(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)\s*([KMGT]i?B|B)?$/.exec(text);
  return match === null ? null : Number(match[1]) * (SIZE_BYTES[match[2] ?? 'B'] ?? 0);
}

/** Parses a TCP port. 0 stands for any free port. */
export function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  if (port < 0 || port > 65_535) throw new InvalidValueError('A port is a number from 0 to 65535.');
  return port;
}

/** Parses a process id, a positive 32-bit integer. */
export function parsePid(text: string): number {
  const pid = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
  if (pid < 1 || pid > 2 ** 31 - 1) {
    throw new InvalidValueError(
      'A process id is a number from 1 to 2147483647, as ps or pidof print it.',
    );
  }
  return pid;
}

/** Parses a whole number from 1 to `most`. */
export function parseCount(text: string, most: number): number {
  const count = /^\d{1,15}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= most) return count;
  throw new InvalidValueError(`Write a whole number from 1 to ${most}.`);
}
