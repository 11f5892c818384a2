// Times in answers: ISO 8601 in UTC.

/** Formats a time in milliseconds since 1970. Returns null for null. */
export function formatTime(ms: number): string;
export function formatTime(ms: number | null): string | null;
export function formatTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
