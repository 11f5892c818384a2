// Parses one line of the kernel program for files. Lines are hostile input. A line that does not
// match its form exactly is rejected as null.

/** The device and inode of a file, which are the same under every name. */
export type FileKey = string;

/**
 * A regular file was opened for reading. Its name is in a separate line with the same thread and
 * time.
 */
export type OpenLine = {
  readonly line: 'open';
  readonly tid: number;
  readonly startNs: number;
  readonly tookNs: number;
  readonly key: FileKey;
  /** Distinguishes a file from an earlier one with the same inode. */
  readonly generation: string;
  /** Size of the file. */
  readonly bytes: number;
  readonly fd: number;
  /** The folder that a relative name starts at. AT_FDCWD (−100) is the working directory. */
  readonly folderFd: number;
};

/** The name as the program passed it, cut at 199 bytes. */
export type NameLine = {
  readonly line: 'name';
  readonly tid: number;
  readonly startNs: number;
  readonly name: string;
};

/** A regular file was mapped. */
export type MapLine = {
  readonly line: 'map';
  readonly tid: number;
  readonly startNs: number;
  readonly key: FileKey;
  readonly generation: string;
  readonly bytes: number;
  readonly fd: number;
};

/**
 * The work of one thread on one file so far, without a pause of 50 ms. Thread and start identify
 * the run. A later line about the same run has the totals of this line plus the work since then.
 */
export type RunLine = {
  /**
   * `read`: calls that read. `fault`: page faults in a mapping. `disk`: pages that were read from
   * storage.
   */
  readonly line: 'read' | 'fault' | 'disk';
  readonly tid: number;
  readonly startNs: number;
  readonly endNs: number;
  /** Nanoseconds in the calls. 0 if not measured. */
  readonly tookNs: number;
  /** Bytes that the calls returned. For `fault` and `disk`, pages. */
  readonly amount: number;
  /** The number of calls, of faults, or of requests to storage. */
  readonly count: number;
  readonly key: FileKey;
  /** Size of the file. 0 if the line does not contain it. */
  readonly bytes: number;
};

/** This kernel reports pages that are read from storage. */
type ReportsDiskLine = { readonly line: 'reports_disk' };

export type FileLine = OpenLine | NameLine | MapLine | RunLine | ReportsDiskLine;

const NAME = /^name (\d{1,10}) (\d{1,19}) (.+)$/s;
const FACTS = /^(open|map)((?: -?\d{1,20})+)$/;
/** An entry of a map, as bpftrace prints it. */
const RUN = /^@(read|fault|disk)\[(\d{1,10}), ?\d{1,4}\]: \((\d{1,20}(?:, ?\d{1,20}){7})\)$/;

/** The content of a line, or null if it is invalid. */
export function parseFileLine(text: string): FileLine | null {
  if (text === 'reports_disk') return { line: 'reports_disk' };
  return runOf(text) ?? nameOf(text) ?? factsOf(text);
}

function runOf(text: string): RunLine | null {
  const [, map, tid, entry = ''] = RUN.exec(text) ?? [];
  if (map !== 'read' && map !== 'fault' && map !== 'disk') return null;
  const words = entry.split(/, ?/);
  const [startNs = 0, endNs = 0, tookNs = 0, amount = 0, count = 0] = words.map(Number);
  const [device, inode, last] = words.slice(5);
  return {
    line: map,
    tid: Number(tid),
    startNs,
    endNs,
    tookNs,
    amount,
    count,
    key: `${device}:${inode}`,
    bytes: map === 'read' ? Number(last) : 0,
  };
}

function nameOf(text: string): NameLine | null {
  const [, tid, startNs, name] = NAME.exec(text) ?? [];
  if (name === undefined) return null;
  return { line: 'name', tid: Number(tid), startNs: Number(startNs), name };
}

function factsOf(text: string): OpenLine | MapLine | null {
  const [, line, facts = ''] = FACTS.exec(text) ?? [];
  const words = facts.slice(1).split(' ');
  const [tid, startNs, tookNs, device, inode, generation = '', bytes, fd, folderFd] = words;
  const about = {
    tid: Number(tid),
    startNs: Number(startNs),
    key: `${device}:${inode}`,
    generation,
    bytes: Number(bytes),
    fd: Number(fd),
  };
  if (line === 'map' && words.length === 8) return { line, ...about };
  if (line !== 'open' || words.length !== 9) return null;
  return { line, ...about, tookNs: Number(tookNs), folderFd: Number(folderFd) };
}
