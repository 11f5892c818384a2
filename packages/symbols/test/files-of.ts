// Files in memory, and source maps with chosen mappings.
import { SymbolFault, type SymbolFiles } from '../src/index.ts';

/** Files by path. `reads` receives the path of each read. */
export function filesOf(
  files: Readonly<Record<string, string | Uint8Array>>,
  reads: string[] = [],
): SymbolFiles {
  return {
    list: async () => Object.keys(files),
    async read(path, most) {
      reads.push(path);
      const content = files[path] ?? '';
      const bytes = typeof content === 'string' ? Buffer.from(content) : content;
      if (bytes.length > most) throw new SymbolFault('too large');
      return bytes;
    },
  };
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** A number in Base64 VLQ. */
export function vlq(value: number): string {
  let rest = value < 0 ? -value * 2 + 1 : value * 2;
  let text = '';
  do {
    const digit = rest % 32;
    rest = Math.floor(rest / 32);
    text += DIGITS[rest > 0 ? digit + 32 : digit];
  } while (rest > 0);
  return text;
}

/** Generated column, source, line and column, and optionally a name. All count from 0. */
export type Segment = readonly number[];

/** The mappings of one generated line. */
export function mappingsOf(segments: readonly Segment[]): string {
  const last = [0, 0, 0, 0, 0];
  return segments
    .map((segment) =>
      segment
        .map((value, i) => {
          const text = vlq(value - (last[i] ?? 0));
          last[i] = value;
          return text;
        })
        .join(''),
    )
    .join(',');
}

/** The text of a map of one line. */
export function mapOf(
  segments: readonly Segment[],
  fields: Readonly<Record<string, unknown>> = {},
): string {
  return JSON.stringify({
    version: 3,
    sources: ['src/game.ts'],
    names: [],
    mappings: mappingsOf(segments),
    ...fields,
  });
}
