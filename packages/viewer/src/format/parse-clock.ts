// Reads a time that a person writes.

/** Parses seconds (`31.2`) or a clock time (`0:31.2`, `1:02:03.5`) to ms, rounded to thousandths. Returns null for any other text. */
export function parseClock(text: string): number | null {
  const found = /^(?:(?:(\d+):)?(\d+):)?(\d+(?:[.,]\d+)?)$/.exec(text.trim());
  if (found === null) return null;
  const [, hours, minutes, seconds = ''] = found;
  const part = (digits: string | undefined): number => Number(digits ?? 0);
  // Below an hour or a minute, the parts after a colon have at most 59.
  if (hours !== undefined && part(minutes) > 59) return null;
  const rest = Number(seconds.replace(',', '.'));
  if (minutes !== undefined && rest >= 60) return null;
  return Math.round((part(hours) * 3600 + part(minutes) * 60 + rest) * 1e6) / 1000;
}
