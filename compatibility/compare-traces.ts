// Whether the sources still read the traces of the last release as it read them.
import assert from 'node:assert/strict';
import { readVpt } from '../packages/trace/src/vpt/read-vpt.ts';
import type { Change } from './compare-schemas.ts';

/** A trace, and what was read from it. */
export type ReadTrace = { readonly text: string; readonly read: unknown };

/** Reads a trace. */
export function readTrace(text: string): ReadTrace {
  return { text, read: JSON.parse(JSON.stringify(readVpt(text))) };
}

/** Returns a change for each trace that is read differently. New fields are no difference. */
export function compareTraces(before: Readonly<Record<string, ReadTrace>>): Change[] {
  return Object.entries(before).flatMap(([name, { text, read }]): Change[] => {
    try {
      assert.partialDeepStrictEqual(readTrace(text).read, read);
      return [];
    } catch {
      return [{ where: `trace ${name}`, what: 'is read in another way' }];
    }
  });
}
