// Numbers in the sentences that views share. Tables of a view have formats of their own.

/** Milliseconds without a unit: whole from 10 ms, one decimal below. */
export function msNumber(ms: number): string {
  return String(ms >= 10 ? Math.round(ms) : Math.round(ms * 10) / 10);
}

/** Milliseconds: whole from 10 ms, one decimal below. From 10 s on, seconds with one decimal. */
export function msText(ms: number): string {
  return ms >= 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${msNumber(ms)} ms`;
}

/** A length of time: seconds with one decimal from 1 s on, otherwise as {@link msText}. */
export function durationText(ms: number): string {
  return ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : msText(ms);
}

/** A share from 0 to 1 in whole percent. A share above 0 is at least `<1 %`. */
export function percentText(share: number): string {
  return share > 0 && share < 0.005 ? '<1 %' : `${Math.round(share * 100)} %`;
}

/** The time budget of a frame in milliseconds, with one decimal: `16.7 ms`, `10 ms`. A budget below 0.1 ms has two digits. */
export function budgetText(ms: number): string {
  return `${ms < 0.1 ? Number(ms.toPrecision(2)) : Math.round(ms * 10) / 10} ms`;
}

/** The name of a function or asset in a sentence. */
export function nameText(name: string): string {
  return name === '' ? '(no name)' : name;
}

/** What the weights of a call tree count, to follow "of all": `time` for ms, `samples` for a count, otherwise the unit. */
export function weightNoun(unit: string): string {
  if (unit === 'ms') return 'time';
  return unit === 'count' || unit === '' ? 'samples' : unit;
}

/** A count. From 10,000 on, its digits are grouped. */
export function countText(count: number): string {
  const digits = String(count);
  return digits.length > 4 ? digits.replace(/\B(?=(\d{3})+(?!\d))/g, ',') : digits;
}

/** A count with its noun: `1 hitch`, `3 hitches`. */
export function pluralText(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

const SIZES = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/**
 * Bytes in the largest binary unit with a value of at least 1, rounded to about three digits: one decimal below 100, also if it is
 * 0, and none from 100 on. For example `512 B`, `1.0 MiB`, `18.4 MiB`, `110 MiB`, `1020 MiB`. A number of bytes is whole. A negative
 * size has the sign `−`. Every view shows sizes in this form.
 */
export function bytesText(bytes: number): string {
  let unit = 0;
  let value = Math.abs(bytes);
  while (value >= 1023.5 && unit < SIZES.length - 1) {
    value /= 1024;
    unit++;
  }
  const number = value.toFixed(unit === 0 || value >= 99.95 ? 0 : 1);
  return `${bytes < 0 && number !== '0' ? '−' : ''}${number} ${SIZES[unit]}`;
}

/** A time of the trace as on a clock, with tenths of a second: `0:31.2`, `1:02:05.0`. */
export function clockText(t: number): string {
  const tenths = Math.floor(t / 100);
  const seconds = `${Math.floor(tenths / 10) % 60}`.padStart(2, '0');
  const minutes = Math.floor(tenths / 600) % 60;
  const hours = Math.floor(tenths / 36_000);
  const start = hours > 0 ? `${hours}:${`${minutes}`.padStart(2, '0')}` : `${minutes}`;
  return `${start}:${seconds}.${tenths % 10}`;
}
