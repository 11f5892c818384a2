// The smallest files that have the structure of a trailer.

/** A box of an MP4. */
export function mp4Box(type: string, ...parts: readonly (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
}

export function mp4Type(major = 'isom', compatible = 'isommp41'): Buffer {
  return mp4Box('ftyp', major, '\0\0\x02\0', compatible);
}

export const MP4_MOVIE: Buffer = mp4Box('moov', mp4Box('mvhd', Buffer.alloc(100)), mp4Box('trak'));

/** With this many bytes of media data. */
export function makeMp4(mediaBytes = 8): Buffer {
  return Buffer.concat([mp4Type(), MP4_MOVIE, mp4Box('mdat', Buffer.alloc(mediaBytes))]);
}

/** An element of a WebM; null for an unknown size. */
export function webmElement(id: string, ...parts: readonly (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const size = Buffer.alloc(4);
  size.writeUInt32BE((0x10000000 | body.length) >>> 0);
  return Buffer.concat([Buffer.from(id, 'hex'), size, body]);
}

/** The header of an element of unknown size. */
export function webmOpen(id: string): Buffer {
  return Buffer.from(`${id}01ffffffffffffff`, 'hex');
}

export function webmHead(type = 'webm'): Buffer {
  return webmElement('1a45dfa3', webmElement('4286', '\x01'), webmElement('4282', type));
}

export const WEBM_TRACKS: Buffer = webmElement('1654ae6b', webmElement('ae'));
export const WEBM_CLUSTER: Buffer = webmElement('1f43b675', webmElement('e7', '\0'));

export function makeWebm(): Buffer {
  return Buffer.concat([webmHead(), webmElement('18538067', WEBM_TRACKS, WEBM_CLUSTER)]);
}
