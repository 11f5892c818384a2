// Facts about a trace from one pass and constant memory: counts, sources, duration. The agent's TraceSummary is built from them.
import { endOfRecord } from '../../format/end-of-record.ts';
import type { Header, Source, TraceRecord } from '../../format/records.ts';
import { roundMs } from '../../vpt/format-record.ts';
import type { TraceSink, VptEnding } from '../../vpt/read-vpt.ts';
import type { RecordScanner } from '../../vpt/scan-record.ts';

export type TraceFacts = {
  readonly sources: readonly Source[];
  /** ISO 8601 in UTC. */
  readonly started_at: string | null;
  /** The number of lines after the header. */
  readonly records: number;
  /** The number of asset records. An asset has one per phase. */
  readonly assets: number;
  readonly bytes: number;
  /** The latest end of a record; null if that is 0. */
  readonly duration_ms: number | null;
  /** True if the trace has no clean end. */
  readonly partial: boolean;
  readonly torn_bytes: number;
  /** True if data is missing because storage ran out (`storage_cap`, `disk_full`). */
  readonly truncated: boolean;
};

/** A sink for VptReader. `facts` takes the result of the reader's `finish`. */
export class TraceFactsSink implements TraceSink {
  #assets = 0;
  #latest = 0;
  #truncated = false;

  record(record: TraceRecord): void {
    if (record.type === 'asset') this.#assets++;
    if (record.type === 'loss') {
      this.#truncated ||= record.reason === 'storage_cap' || record.reason === 'disk_full';
    }
    this.#latest = Math.max(this.#latest, endOfRecord(record));
  }

  /** Frames and losses are never passed to this method. */
  scanned(record: RecordScanner): boolean {
    if (record.type === 'asset') this.#assets++;
    this.#latest = Math.max(this.#latest, record.end);
    return true;
  }

  facts(ending: VptEnding): TraceFacts {
    const header: Header = ending.header;
    return {
      sources: header.sources,
      started_at: inUtc(header.started_at),
      records: ending.records,
      assets: this.#assets,
      bytes: ending.bytes,
      duration_ms: this.#latest > 0 ? roundMs(this.#latest) : null,
      partial: ending.end === null,
      torn_bytes: ending.torn_bytes,
      truncated: this.#truncated,
    };
  }
}

/** Converts a time to UTC. A time that is already in UTC is not reformatted. */
function inUtc(time: string | null): string | null {
  return time === null || time.endsWith('Z') ? time : new Date(time).toISOString();
}
