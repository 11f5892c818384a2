// Formats text for people: escaped control characters, durations, fields.
import { replaceControls } from '@svc/trace/control-characters';

/** Writes control characters, which a terminal would obey, as `\x1b` and similar. Line feeds and tabs are kept. */
export function safeText(text: string): string {
  return replaceControls(text, (char) => {
    if (char === '\n' || char === '\t') return char;
    const code = char.charCodeAt(0);
    return code < 0x100
      ? `\\x${code.toString(16).padStart(2, '0')}`
      : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** As {@link safeText}, but also escapes line feeds and tabs, for values such as paths that must stay on one line. */
export function safeLine(text: string): string {
  return safeText(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

/** Formats milliseconds: `830 ms`, `12.4 s`, `3 min 20 s`, `8 h`, `1 h 5 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${trimNumber(ms)} ms`;
  if (ms < 60_000) return `${trimNumber(ms / 1000)} s`;
  const seconds = Math.round(ms / 1000);
  const parts: string[] = [];
  if (seconds >= 3600) parts.push(`${Math.floor(seconds / 3600)} h`);
  if (seconds % 3600 >= 60) parts.push(`${Math.floor((seconds % 3600) / 60)} min`);
  if (seconds < 3600 && seconds % 60 > 0) parts.push(`${seconds % 60} s`);
  return parts.join(' ');
}

/** A number with at most one decimal, or with none from 100 up. */
function trimNumber(value: number): string {
  return value >= 100 ? value.toFixed(0) : String(Math.round(value * 10) / 10);
}

/** Groups the digits of an integer: `1,234,567`. Takes decimal strings of any length. */
export function formatCount(count: number | string): string {
  return String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

/** Formats the fields of one record in two columns: names, which are ASCII, and values. Control characters are escaped. */
export function formatFields(fields: readonly (readonly [string, string])[]): string[] {
  const width = fields.reduce((widest, [name]) => Math.max(widest, name.length), 0);
  return fields.map(([name, value]) => `${name.padEnd(width)}  ${safeText(value)}`);
}
