// Checks whether a file is an MP4 (ISO 14496-12): boxes that fill the file exactly, with a brand that browsers play.
import type { FileWindow } from './file-window.ts';

/** More than any trailer has, even with one fragment for each frame. */
const MOST_BOXES = 100_000;
const MOST_BRANDS = 64;
/** Brands of other files that start with a `ftyp` box: QuickTime, audio, and still images. */
const OTHER_BRAND = /^(?:qt {2}|hei[a-z]|hev[a-z]|mif1|msf1|avif|avis|crx |jp2 |jpx |M4A |M4B )$/;
const VIDEO_BRAND =
  /^(?:iso[m1-9a-z]|mp4[12]|avc[0-9a-z]|av01|hvc1|hev1|M4V[ HP]|f4v |F4V |3g[2p][0-9a-z]|dash|cmf[2a-z]|ms[dn][hv]|MSNV|mmp4|XAVC)$/;

type Box = { readonly type: string; readonly at: number; readonly end: number };

/** Returns true for a file with a video brand, one `moov` with a track, and media data, whose boxes fill the whole file. */
export async function isMp4(file: FileWindow): Promise<boolean> {
  const boxes = await readBoxes(file, 0, file.bytes);
  const [first] = boxes ?? [];
  if (boxes === null || first?.type !== 'ftyp' || !(await hasVideoBrand(file, first))) return false;
  const movies = boxes.filter(({ type }) => type === 'moov');
  const [movie] = movies;
  if (movie === undefined || movies.length > 1) return false;
  if (!boxes.some(({ type, at, end }) => type === 'mdat' && end > at)) return false;
  const parts = await readBoxes(file, movie.at, movie.end);
  return ['mvhd', 'trak'].every((type) => parts?.some((part) => part.type === type));
}

/** Returns the boxes from `start` to `end`, without their headers. Returns null if they do not end there. */
async function readBoxes(file: FileWindow, start: number, end: number): Promise<Box[] | null> {
  const boxes: Box[] = [];
  for (let at = start; at < end; ) {
    const box = readHead(await file.read(at, 16), at, end);
    if (box === null || box.end > end || boxes.push(box) > MOST_BOXES) return null;
    at = box.end;
  }
  return boxes;
}

function readHead(head: Buffer, at: number, end: number): Box | null {
  if (head.length < 8) return null;
  const type = head.toString('latin1', 4, 8);
  const short = head.readUInt32BE(0);
  if (!/^[\xa9 -~]{4}$/.test(type) || (short === 1 && head.length < 16)) return null;
  // 1 means a size of 64 bits after the type, 0 means the rest of the file.
  const headBytes = short === 1 ? 16 : 8;
  const size = short === 1 ? Number(head.readBigUInt64BE(8)) : short === 0 ? end - at : short;
  return size < headBytes ? null : { type, at: at + headBytes, end: at + size };
}

async function hasVideoBrand(file: FileWindow, { at, end }: Box): Promise<boolean> {
  const bytes = end - at;
  if (bytes < 8 || bytes % 4 !== 0 || bytes > 8 + 4 * MOST_BRANDS) return false;
  const text = (await file.read(at, bytes)).toString('latin1');
  const major = text.slice(0, 4);
  const compatible = text.slice(8).match(/.{4}/gs) ?? [];
  return !OTHER_BRAND.test(major) && [major, ...compatible].some((one) => VIDEO_BRAND.test(one));
}
