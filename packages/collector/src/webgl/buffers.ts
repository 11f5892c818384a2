// Vertex, index and uniform buffers of WebGL: their size, and the time of uploads.
import type { GpuObjects } from '../gpu/gpu-objects.ts';
import { whole } from '../hooks/whole.ts';
import type { Sink } from '../sink/sink.ts';
import { boundTo } from './bindings.ts';
import { timeGl } from './contexts.ts';

/** Tracks buffers of the given context prototypes. */
export function followBuffers(
  sink: Sink,
  objects: GpuObjects,
  owners: readonly object[],
): ((() => void) | null)[] {
  return [
    ...timeGl(sink, owners, 'bufferData', (gl, args, _result, at, ms) => {
      const buffer = objects.of(boundTo(gl, whole(args[0])), 'buffer', 'mesh', gl);
      if (buffer === undefined) return;
      const from = objects.assets.of(args[1], 'mesh');
      const bytes = dataBytes(args[1], args[3], args[4]);
      objects.update(buffer, { what: 'buffer', kind: 'mesh', at, ms, bytes, from });
    }),
    ...timeGl(sink, owners, 'bufferSubData', (gl, args, _result, at, ms) => {
      const buffer = objects.of(boundTo(gl, whole(args[0])), 'buffer', 'mesh', gl);
      if (buffer === undefined) return;
      const from = objects.assets.of(args[2], 'mesh');
      const { bytes } = buffer;
      objects.update(buffer, { what: 'buffer', kind: 'mesh', at, ms, bytes, from });
    }),
    ...timeGl(sink, owners, 'deleteBuffer', (_gl, args, _result, at, ms) =>
      objects.remove(args[0], at, ms),
    ),
  ];
}

/** The bytes that bufferData stores: a size, or data with an offset and a length in elements (0: to the end). */
function dataBytes(data: unknown, offset: unknown, length: unknown): number {
  if (typeof data !== 'object' || data === null) return Math.max(0, whole(data));
  if (!('byteLength' in data)) return 0;
  const bytes = Number(data.byteLength);
  const size = 'BYTES_PER_ELEMENT' in data ? Number(data.BYTES_PER_ELEMENT) : 1;
  if (whole(length) > 0) return whole(length) * size;
  return Math.max(0, bytes - whole(offset) * size);
}
