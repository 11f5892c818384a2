// Tells an MP4 from a WebM by its first bytes; browsers decode the rest in a process that has no power.
import { open } from 'node:fs/promises';

const HEAD_BYTES = 64;
/** Brands of other files that begin with a `ftyp` box: QuickTime, and still images. */
const NO_MP4 = /^(?:qt {2}|hei[a-z]|hev[a-z]|mif1|msf1|avif|avis|crx |jp2 |jpx |M4A |M4B )$/;
const EBML = Buffer.from([0x1a, 0x45, 0xdf, 0xa3]);

/** The type of the video, null where it is neither MP4 (ISO 14496-12, a first box `ftyp`) nor WebM (EBML, DocType webm). */
export async function readTrailerType(path: string): Promise<'video/mp4' | 'video/webm' | null> {
  const handle = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const head = buffer.subarray(0, bytesRead);
    if (
      head.length >= 16 &&
      head.toString('latin1', 4, 8) === 'ftyp' &&
      head.readUInt32BE(0) >= 16 &&
      !NO_MP4.test(head.toString('latin1', 8, 12))
    ) {
      return 'video/mp4';
    }
    const isMatroska = head.length >= 16 && head.subarray(0, 4).equals(EBML);
    return isMatroska && head.includes('webm') ? 'video/webm' : null;
  } finally {
    await handle.close();
  }
}
