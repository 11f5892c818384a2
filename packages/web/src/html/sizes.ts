// Formats sizes and counts. Islands import it, so it imports nothing.

/** A size in the largest fitting unit of B, KiB, MiB and GiB. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** step;
  return `${value.toFixed(step === 0 || value >= 100 ? 0 : 1)} ${units[step]}`;
}

/** The number of files, such as "1 file" or "2,000 files". */
export function countFiles(count: number): string {
  return count === 1 ? '1 file' : `${count.toLocaleString('en')} files`;
}
