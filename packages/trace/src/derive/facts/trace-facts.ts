// What can be said of a trace in one pass and flat memory: counts, sources, extent. The agent's TraceSummary is made of it.
import { endOfRecord } from '../../format/end-of-record.ts';
import type { Header, Source, TraceRecord } from '../../format/records.ts';
import { roundMs } from '../../vpt/format-record.ts';
import type { TraceSink, VptEnding } from '../../vpt/read-vpt.ts';
import type { RecordScanner } from '../../vpt/scan-record.ts';

export type TraceFacts = {
  readonly sources: readonly Source[];
  /** ISO 8601 in UTC. */
  readonly started_at: string | null;
  /** Lines but the header. */
  readonly records: number;
  /** Asset records (an asset has one a phase). */
  readonly assets: number;
  readonly bytes: number;
  /** From the start to the last thing that ended; null where no record tells a time past 0. */
  readonly duration_ms: number | null;
  /** No clean end. */
  readonly partial: boolean;
  readonly torn_bytes: number;
  /** Something was left out because storage ran out (`storage_cap`, `disk_full`). */
  readonly truncated: boolean;
};

/** A sink for VptReader; `facts` takes what the reader's `finish` returned. */
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

  /** All but losses and frames come this way. */
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

/** A time that is told in UTC stays as it was written. */
function inUtc(time: string | null): string | null {
  return time === null || time.endsWith('Z') ? time : new Date(time).toISOString();
}
