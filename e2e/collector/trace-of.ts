// Reads an exported trace strictly and selects records.
import assert from 'node:assert/strict';
import { type KnownRecord, readVpt, type TraceRecord } from '@svc/trace';
import type { Page } from 'playwright-core';

/** Stops the page's recording (`window.svc`) and reads its trace. Throws for violations of the format. */
export async function stopAndRead(page: Page): Promise<TraceRecord[]> {
  const text = await page.evaluate<string>('(svc.stop(), svc.exportText())');
  return readTrace(text);
}

/** Reads a complete trace. Throws if it has no clean end or an incomplete line. */
export function readTrace(text: string): TraceRecord[] {
  const read = readVpt(text);
  assert.notEqual(read.end, null, 'the trace has a clean end');
  assert.equal(read.torn_bytes, 0);
  return read.lines;
}

/** The records of one type. */
export function only<Type extends KnownRecord['type']>(
  lines: readonly TraceRecord[],
  type: Type,
): Extract<KnownRecord, { type: Type }>[] {
  return lines.filter((line): line is Extract<KnownRecord, { type: Type }> => line.type === type);
}

/** The asset records of one name. */
export function ofAsset(lines: readonly TraceRecord[], name: string) {
  return only(lines, 'asset').filter((line) => line.name === name);
}
