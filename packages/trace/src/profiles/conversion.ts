// What every converter of a profile returns, and the parts that their output shares.
import { TraceError } from '../format/errors.ts';
import type { Header, KnownRecord } from '../format/records.ts';
import { formatHeader, formatRecord } from '../vpt/format-record.ts';
import { describeGpu } from '../vpt/gpu-name.ts';

/** The result of converting a profile. */
export type Conversion = {
  /** Whether the file ended in the middle. The trace then has everything before, and no `end` record. */
  readonly torn: boolean;
  /** The number of events, nodes and samples that could not be read. */
  readonly unreadable: number;
};

/** Longest event of a file. Screenshots are the longest that Chrome writes. */
export const EVENT_BYTES = 16 * 1024 * 1024;

/** The header of a converted file. `started_at` is an ISO time in UTC, or null. `gpu` is the name of the graphics adapter, or ''. */
export function importHeader(started_at: string | null, gpu = ''): Header {
  const adapter = describeGpu(gpu);
  return {
    vpt: 1,
    producer: { name: 'svc chrome import', version: '1' },
    started_at,
    sources: ['import'],
    ...(adapter && { gpu: adapter }),
  };
}

/**
 * Emits a trace: the header, the records of `write`, then the losses and the end. Throws the error of `empty`, and emits nothing,
 * if `write` has no record.
 */
export function emitTrace(
  emit: (text: string) => void,
  header: Header,
  write: (put: (record: KnownRecord) => void) => Conversion,
  empty: () => TraceError,
): Conversion {
  let isEmpty = true;
  const put = (record: KnownRecord): void => {
    if (isEmpty) emit(formatHeader(header));
    isEmpty = false;
    emit(formatRecord(record));
  };
  const conversion = write(put);
  if (isEmpty) throw empty();
  if (conversion.unreadable > 0) {
    put({ type: 'loss', t: 0, reason: 'unreadable_events', count: conversion.unreadable });
  }
  if (!conversion.torn) put({ type: 'end', t: 0, reason: 'converted' });
  return conversion;
}

export function notAProfile(message: string): TraceError {
  return new TraceError('not_a_profile', message, 1, 1);
}
