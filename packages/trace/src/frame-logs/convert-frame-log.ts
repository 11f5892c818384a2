// Converts a frame log of another tool to `.vpt` text as it streams. The same input always gives the same bytes.

import { endOfRecord } from '../format/end-of-record.ts';
import { LATEST_T_MS } from '../format/limits.ts';
import type { Header, KnownRecord } from '../format/records.ts';
import { type Conversion, emitTrace, notAProfile } from '../profiles/conversion.ts';
import type { FrameLogReader } from './frame-log.ts';
import { GodotLog } from './godot-log.ts';
import { MangohudLog } from './mangohud-log.ts';
import { PresentmonLog } from './presentmon-log.ts';
import type { FrameLogFormat } from './sniff-frame-log.ts';
import { CsvSplitter } from './split-csv.ts';
import { END_KEY, UnrealLog } from './unreal-log.ts';

const READERS: Readonly<Record<FrameLogFormat, new () => FrameLogReader>> = {
  mangohud: MangohudLog,
  presentmon: PresentmonLog,
  unreal: UnrealLog,
  godot: GodotLog,
};

/**
 * Call `push` with the bytes, then `finish`, which emits the trace as whole lines. `t` 0 is the start of the first frame. A last row
 * that was cut off is left out, and the file is torn. Throws TraceError `not_a_profile` if the file has nothing to show. Keeps the
 * frames in memory.
 */
export class FrameLogConverter {
  readonly #emit: (text: string) => void;
  readonly #reader: FrameLogReader;
  readonly #splitter: CsvSplitter;
  /** The last row. It is passed on when it is known to be complete. */
  #last: readonly string[] | null = null;
  #widest = 0;

  constructor(format: FrameLogFormat, emit: (text: string) => void) {
    this.#emit = emit;
    this.#reader = new READERS[format]();
    this.#splitter = new CsvSplitter((cells) => this.#row(cells));
  }

  push(chunk: Uint8Array): void {
    this.#splitter.push(chunk);
  }

  finish(): Conversion {
    const isComplete = this.#splitter.finish();
    const isCut = !isComplete && this.#isCut();
    if (this.#last !== null && !isCut) this.#reader.row(this.#last);
    const log = this.#reader.finish();
    const header: Header = {
      vpt: 1,
      producer: { name: 'svc frame log import', version: '1' },
      ...log.header,
      sources: ['import'],
    };
    const torn = isCut || log.torn;
    let unreadable = log.unreadable + this.#splitter.skipped;
    const write = (put: (record: KnownRecord) => void): Conversion => {
      for (const record of log.records) {
        if (record.t >= 0 && endOfRecord(record) <= LATEST_T_MS) put(record);
        else unreadable++;
      }
      return { torn, unreadable };
    };
    const empty = () => notAProfile('Cannot read the log: it has nothing to show. Record again');
    return emitTrace(this.#emit, header, write, empty);
  }

  /** Whether the last row, which has no line end, was cut off. Some tools write no line end after a complete last row. */
  #isCut(): boolean {
    const last = this.#last ?? [];
    return last.length < this.#widest && !END_KEY.test(last[0] ?? '');
  }

  #row(cells: readonly string[]): void {
    if (this.#last !== null) this.#reader.row(this.#last);
    this.#widest = Math.max(this.#widest, this.#last?.length ?? 0);
    this.#last = cells;
  }
}
