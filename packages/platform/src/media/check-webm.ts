// Checks whether a file is a WebM (RFC 8794, RFC 9559): an EBML header of type webm, and one segment that fills the rest.
import type { FileWindow } from './file-window.ts';

/** More than any trailer has, even if its clusters do not state their size. */
const MOST_ELEMENTS = 1_000_000;
const MOST_HEAD_BYTES = 4096;

const EBML = 0x1a45dfa3;
const DOC_TYPE = 0x4282;
const SEGMENT = 0x18538067;
const TRACKS = 0x1654ae6b;
const CLUSTER = 0x1f43b675;
/** Elements of a segment: seek head, info, tracks, clusters, cues, attachments, chapters, tags; void and checksums. */
const IN_SEGMENT: ReadonlySet<number> = new Set([
  ...[0x114d9b74, 0x1549a966, TRACKS, CLUSTER, 0x1c53bb6b, 0x1941a469, 0x1043a770, 0x1254c367],
  ...[0xec, 0xbf],
]);
/** Elements of a cluster: time, position, size of the previous cluster, blocks and block groups; void and checksums. */
const IN_CLUSTER: ReadonlySet<number> = new Set([0xe7, 0xa7, 0xab, 0xa3, 0xa0, 0xec, 0xbf]);

/** `end` is null for an element of unknown size. */
type Element = { readonly id: number; readonly at: number; readonly end: number | null };

/** Returns true for a WebM with tracks and a cluster, whose elements fill the whole file. */
export async function isWebm(file: FileWindow): Promise<boolean> {
  const head = await readElement(file, 0);
  if (head?.id !== EBML || head.end === null || head.end - head.at > MOST_HEAD_BYTES) return false;
  if ((await readDocType(file, head.at, head.end)) !== 'webm') return false;
  const segment = await readElement(file, head.end);
  if (segment?.id !== SEGMENT || (segment.end ?? file.bytes) !== file.bytes) return false;
  const seen = await readSegment(file, segment.at);
  return seen?.has(TRACKS) === true && seen.has(CLUSTER);
}

/** Returns the ids of the elements in the segment. Returns null if they do not fill the rest of the file. */
async function readSegment(file: FileWindow, start: number): Promise<Set<number> | null> {
  const seen = new Set<number>();
  let inCluster = false;
  let count = 0;
  for (let at = start; at < file.bytes; count++) {
    const element = await readElement(file, at);
    if (element === null || count > MOST_ELEMENTS) return null;
    const { id, end } = element;
    const isTop = IN_SEGMENT.has(id);
    if (!isTop && !(inCluster && IN_CLUSTER.has(id))) return null;
    if (end === null && id !== CLUSTER) return null;
    // A void or a checksum can be in both, and does not end a cluster.
    if (isTop && !IN_CLUSTER.has(id)) inCluster = end === null;
    if ((end ?? 0) > file.bytes) return null;
    seen.add(id);
    // A cluster of unknown size ends at the next element of the segment.
    at = end ?? element.at;
  }
  return seen;
}

async function readDocType(file: FileWindow, start: number, end: number): Promise<string | null> {
  let type: string | null = null;
  for (let at = start; at < end; ) {
    const element = await readElement(file, at);
    if (element === null || element.end === null || element.end > end) return null;
    if (element.id === DOC_TYPE) {
      const text = await file.read(element.at, element.end - element.at);
      type = text.toString('latin1').replace(/\0+$/, '');
    }
    at = element.end;
  }
  return type;
}

async function readElement(file: FileWindow, at: number): Promise<Element | null> {
  const head = await file.read(at, 12);
  const idBytes = vintBytes(head[0]);
  if (idBytes === null || idBytes > 4 || head.length < idBytes + 1) return null;
  const sizeBytes = vintBytes(head[idBytes]);
  if (sizeBytes === null || head.length < idBytes + sizeBytes) return null;
  const id = head.readUIntBE(0, idBytes);
  const coded = BigInt(`0x${head.toString('hex', idBytes, idBytes + sizeBytes)}`);
  const most = (1n << BigInt(7 * sizeBytes)) - 1n;
  const size = coded & most;
  const body = at + idBytes + sizeBytes;
  return { id, at: body, end: size === most ? null : body + Number(size) };
}

/** Returns the length in bytes of a number with this first byte; null if the byte is invalid. */
function vintBytes(first: number | undefined): number | null {
  return first === undefined || first === 0 ? null : Math.clz32(first) - 23;
}
