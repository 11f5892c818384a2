// Converts a damaged file of another tool, for tests with random damage.
import assert from 'node:assert/strict';
import { type ConvertedFormat, openConverter, readVpt, TraceError } from '../src/index.ts';

/** Converts in chunks of `size` bytes. Throws unless the result is a valid trace, or one rejection that says what cannot be read. */
export function convertDamaged(format: ConvertedFormat, text: string, size: number): void {
  let vpt = '';
  try {
    const converter = openConverter(format, (line) => {
      vpt += line;
    });
    const bytes = new TextEncoder().encode(text);
    for (let from = 0; from < bytes.length; from += size) {
      converter.push(bytes.subarray(from, from + size));
    }
    converter.finish();
  } catch (error) {
    assert.ok(error instanceof TraceError && error.code === 'not_a_profile', String(error));
    assert.match(
      error.message,
      /^Cannot read the (?:\w+ )*(?:CPU profile|Chrome trace|CSV profile of|log|measures)/,
    );
    assert.equal(vpt, '');
    return;
  }
  readVpt(new TextEncoder().encode(vpt));
}
