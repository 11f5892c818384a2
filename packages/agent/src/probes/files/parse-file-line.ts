// One line of the files program → what it tells. Lines are hostile: what has not exactly its form is null.

/** Which file: device and inode, whatever its names. */
export type FileKey = string;

/** A regular file was opened for reading; its name is in a line of its own with the same thread and time. */
export type OpenLine = {
  readonly line: 'open';
  readonly tid: number;
  readonly startNs: number;
  readonly tookNs: number;
  readonly key: FileKey;
  /** Tells a file from an earlier one that had its inode. */
  readonly generation: string;
  /** Size of the file. */
  readonly bytes: number;
  readonly fd: number;
  /** The folder that a relative name begins at; AT_FDCWD (−100) is the working directory. */
  readonly folderFd: number;
};

/** The name as the program gave it, cut at 199 bytes. */
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
 * What one thread does with one file without a pause of 50 ms, up to now. Thread and start are the run's name; a later
 * line about the same run holds what this one told and what has come since.
 */
export type RunLine = {
  /** `read`: calls that read; `fault`: page faults in a mapping; `disk`: pages that came from storage. */
  readonly line: 'read' | 'fault' | 'disk';
  readonly tid: number;
  readonly startNs: number;
  readonly endNs: number;
  /** Time inside the calls; 0 where it is not measured. */
  readonly tookNs: number;
  /** Bytes that the calls returned; for `fault` and `disk` pages. */
  readonly amount: number;
  /** Calls, faults, or pieces read from storage. */
  readonly count: number;
  readonly key: FileKey;
  /** Size of the file; 0 where the line does not tell it. */
  readonly bytes: number;
};

/** This kernel tells pages that come from storage. */
export type DiskToldLine = { readonly line: 'disk_told' };

export type FileLine = OpenLine | NameLine | MapLine | RunLine | DiskToldLine;

const NAME = /^name (\d{1,10}) (\d{1,19}) (.+)$/s;
const FACTS = /^(open|map)((?: -?\d{1,20})+)$/;
/** As bpftrace prints an entry of a map. */
const RUN = /^@(read|fault|disk)\[(\d{1,10}), ?\d{1,4}\]: \((\d{1,20}(?:, ?\d{1,20}){7})\)$/;

/** What a line tells, or null. */
export function parseFileLine(text: string): FileLine | null {
  if (text === 'disk_told') return { line: 'disk_told' };
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
