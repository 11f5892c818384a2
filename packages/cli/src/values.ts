// Values that people type: durations, sizes, ports, process ids. Each throws InvalidValue with the reason.
import { InvalidValue } from './command.ts';

const DURATION_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };

/** `30s`, `15m`, `8h` in milliseconds; decimals allowed. */
export function parseDuration(text: string): number {
  const match = /^(\d+(?:\.\d+)?)([smh])$/.exec(text);
  const ms = match === null ? 0 : Number(match[1]) * (DURATION_MS[match[2] ?? ''] ?? 0);
  if (!(ms > 0) || !Number.isFinite(ms)) {
    throw new InvalidValue(`Durations are written like 30s, 15m or 8h.`);
  }
  return Math.round(ms);
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

/** `256MiB`, `2GiB`, `500MB` or plain bytes, as bytes. */
export function parseSize(text: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*([KMGT]i?B|B)?$/.exec(text);
  const bytes = match === null ? 0 : Number(match[1]) * (SIZE_BYTES[match[2] ?? 'B'] ?? 0);
  if (!(bytes >= 1) || bytes > Number.MAX_SAFE_INTEGER) {
    throw new InvalidValue('Sizes are written like 512KiB, 256MiB or 2GiB.');
  }
  return Math.floor(bytes);
}

/** A TCP port, 0 for any free one. */
export function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  if (port < 0 || port > 65_535) throw new InvalidValue('A port is a number from 0 to 65535.');
  return port;
}

/** A process id: a positive integer. */
export function parsePid(text: string): number {
  const pid = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
  if (pid < 1 || pid > 2 ** 31 - 1) {
    throw new InvalidValue('A process id is a positive number, as ps or pidof print it.');
  }
  return pid;
}
