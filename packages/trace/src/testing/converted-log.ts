// The records of a converted frame log, for tests.
import { TraceError } from '../format/errors.ts';
import type { FramesRecord, Header, RecordTypes, TraceRecord } from '../format/records.ts';
import { openConverter } from '../model/read-profile.ts';
import { isConvertedFormat, sniffFormat, type TraceFormat } from '../model/sniff-format.ts';
import { VptReader } from '../vpt/read-vpt.ts';

export type ConvertedLog = {
  readonly format: TraceFormat;
  readonly header: Header;
  readonly records: readonly TraceRecord[];
  readonly torn: boolean;
  readonly unreadable: number;
};

/** Converts a file in chunks of `chunkBytes`, and reads the trace. Throws TraceError. */
export function convertedLog(input: string | Uint8Array, chunkBytes = 7919): ConvertedLog {
  const bytes = typeof input === 'string' ? new TextEncoder().encode(input) : input;
  const format = sniffFormat(bytes);
  if (!isConvertedFormat(format)) throw new RangeError(`it is read as ${format}`);
  let text = '';
  const converter = openConverter(format, (line) => {
    text += line;
  });
  for (let from = 0; from < bytes.length; from += chunkBytes) {
    converter.push(bytes.subarray(from, from + chunkBytes));
  }
  const conversion = converter.finish();
  const records: TraceRecord[] = [];
  let header: Header | undefined;
  const reader = new VptReader({
    header: (one) => {
      header = one;
    },
    record: (record) => records.push(record),
  });
  reader.push(new TextEncoder().encode(text));
  reader.finish();
  if (header === undefined) throw new RangeError('it has no header');
  return { format, header, records, ...conversion };
}

/** The message with which a file is rejected. Throws if it is not, or for another error. */
export function rejectionOf(input: string): string {
  try {
    convertedLog(input);
  } catch (error) {
    if (error instanceof TraceError && error.code === 'not_a_profile') return error.message;
    throw error;
  }
  throw new RangeError('it is not rejected');
}

export function recordsOf<Type extends keyof RecordTypes>(
  { records }: ConvertedLog,
  type: Type,
): RecordTypes[Type][] {
  return records.filter((record): record is RecordTypes[Type] => record.type === type);
}

/** The frames with the time of their start. */
export function framesOf(log: ConvertedLog): { readonly t: number; readonly ms: number }[] {
  return recordsOf(log, 'frames').flatMap(({ t, duration_ms }: FramesRecord) => {
    let start = t;
    return duration_ms.map((ms) => {
      const frame = { t: Math.round(start * 1000) / 1000, ms };
      start += ms;
      return frame;
    });
  });
}

/** The values of a counter. */
export function counterOf(log: ConvertedLog, name: string): number[] {
  return recordsOf(log, 'counter')
    .filter((counter) => counter.name === name)
    .map(({ value }) => value);
}
