// A KTX2 file with a UASTC texture of one colour, as Basis Universal writes it. Sources: KTX File Format Specification 2.0,
// Khronos Data Format Specification 1.3, UASTC specification (mode 8, a block of one colour).

/** The file, without mip levels and supercompression. `width` and `height` must be multiples of 4. */
export function makeKtx2(width: number, height: number): Buffer {
  const block = solidBlock(200, 100, 50, 255);
  const data = Buffer.concat(Array.from({ length: (width * height) / 16 }, () => block));
  const head = Buffer.alloc(80 + 24);
  Buffer.from([0xab, 0x4b, 0x54, 0x58, 0x20, 0x32, 0x30, 0xbb, 13, 10, 26, 10]).copy(head);
  // Format undefined, type size 1, width, height, no depth, no layers, one face, one level, no supercompression.
  for (const [at, value] of [0, 1, width, height, 0, 0, 1, 1, 0].entries()) {
    head.writeUInt32LE(value, 12 + at * 4);
  }
  const descriptor = describe();
  const from = head.length + descriptor.length;
  const start = Math.ceil(from / 16) * 16;
  head.writeUInt32LE(head.length, 48);
  head.writeUInt32LE(descriptor.length, 52);
  head.writeBigUInt64LE(BigInt(start), 80);
  head.writeBigUInt64LE(BigInt(data.length), 88);
  head.writeBigUInt64LE(BigInt(data.length), 96);
  return Buffer.concat([head, descriptor, Buffer.alloc(start - from), data]);
}

/** The data format descriptor: colour model UASTC, sRGB, blocks of 4 × 4 pixels in 16 bytes, one sample of RGBA. */
function describe(): Buffer {
  const made = Buffer.alloc(4 + 24 + 16);
  made.writeUInt32LE(made.length, 0);
  made.writeUInt16LE(2, 8);
  made.writeUInt16LE(24 + 16, 10);
  made.set([166, 1, 2, 0, 3, 3, 0, 0, 16], 12);
  made.set([0, 0, 127, 3], 28);
  made.writeUInt32LE(0xffffffff, 40);
  return made;
}

/** Mode 8: five bits of mode, the colour, and a hint for ETC1 with any value. */
function solidBlock(...colour: readonly number[]): Buffer {
  let bits = 0x17n;
  for (const [at, channel] of colour.entries()) bits |= BigInt(channel) << BigInt(5 + at * 8);
  const made = Buffer.alloc(16);
  made.writeBigUInt64LE(bits, 0);
  return made;
}
