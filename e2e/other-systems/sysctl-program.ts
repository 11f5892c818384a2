// Stands in for `sysctl -n hw.tbfrequency` on an Apple processor.

export const TICKS_PER_MS = 24_000;

if (import.meta.main) {
  const [flag, name] = process.argv.slice(2);
  if (flag !== '-n' || name !== 'hw.tbfrequency') throw new Error('unexpected arguments');
  console.log(TICKS_PER_MS * 1000);
}
