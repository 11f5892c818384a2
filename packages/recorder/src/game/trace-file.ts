// The trace of a recording as a file.
import { formatHeader, formatKnownRecord, type Header, type KnownRecord } from '@svc/trace';
import { PartialFile } from '../files/partial-file.ts';

export class TraceFile extends PartialFile {
  /** Creates the file. Throws Node's error if that is impossible. */
  begin(header: Header): void {
    this.open();
    this.write(formatHeader(header));
  }

  /** Appends a record. Throws Node's error, for example if the disk is full. */
  put(record: KnownRecord): void {
    this.write(formatKnownRecord(record));
  }
}
