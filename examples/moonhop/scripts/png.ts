// Writes PNG images with 8 bits per channel and alpha.
import { crc32, deflateSync } from 'node:zlib';

/** Writes the pixel at x, y to `out`: red, green, blue, alpha from 0 to 1. */
export type Paint = (x: number, y: number, out: Float32Array) => void;

/** Paints an image and encodes it. */
export function paintPng(width: number, height: number, paint: Paint): Buffer {
  const row = width * 4 + 1;
  const raw = Buffer.alloc(row * height);
  const out = new Float32Array(4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      paint(x, y, out);
      const at = y * row + 1 + x * 4;
      for (let channel = 0; channel < 4; channel++) {
        raw[at + channel] = Math.max(0, Math.min(255, (out[channel] ?? 0) * 255));
      }
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(raw, { level: 4 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Paints a `factor` times smaller image and enlarges it, which is faster by the square of the factor. */
export function enlarge(paint: Paint, width: number, height: number, factor: number): Paint {
  const columns = Math.ceil(width / factor) + 1;
  const rows = Math.ceil(height / factor) + 1;
  const small = new Float32Array(columns * rows * 4);
  const out = new Float32Array(4);
  for (let at = 0; at < columns * rows; at++) {
    paint((at % columns) * factor, Math.floor(at / columns) * factor, out);
    small.set(out, at * 4);
  }
  return (x, y, pixel) => {
    const left = Math.floor(x / factor);
    const top = Math.floor(y / factor);
    const fx = x / factor - left;
    const fy = y / factor - top;
    const at = (top * columns + left) * 4;
    const below = at + columns * 4;
    for (let channel = 0; channel < 4; channel++) {
      const upper = mix(small[at + channel], small[at + 4 + channel], fx);
      const lower = mix(small[below + channel], small[below + 4 + channel], fx);
      pixel[channel] = mix(upper, lower, fy);
    }
  };
}

function mix(from = 0, to = 0, share: number): number {
  return from + (to - from) * share;
}

function chunk(type: string, data: Buffer): Buffer {
  const made = Buffer.alloc(data.length + 12);
  made.writeUInt32BE(data.length, 0);
  made.write(type, 4, 'latin1');
  data.copy(made, 8);
  made.writeUInt32BE(crc32(made.subarray(4, data.length + 8)), data.length + 8);
  return made;
}
