// Formats a change with its sign.

/** `+5 ms` or `−5 ms`. Without a sign if it is shown as 0. `format` receives the absolute value. */
export function signed(value: number, format: (value: number) => string): string {
  const text = format(Math.abs(value));
  if (text === format(0)) return text;
  return value > 0 ? `+${text}` : `−${text}`;
}
