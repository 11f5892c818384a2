// PNG images of any size for tests: opaque pixels with noise, so that they do not compress well.
import { crc32, deflateSync } from 'node:zlib';

/** An 8-bit RGBA image. */
export function makePng(width: number, height: number): Buffer {
  const row = width * 4 + 1;
  const raw = Buffer.alloc(row * height);
  for (let at = 0; at < raw.length; at++) raw[at] = at % row === 0 ? 0 : (at * 31) % 251;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(raw)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const made = Buffer.alloc(data.length + 12);
  made.writeUInt32BE(data.length, 0);
  made.write(type, 4, 'latin1');
  data.copy(made, 8);
  made.writeUInt32BE(crc32(made.subarray(4, data.length + 8)), data.length + 8);
  return made;
}
