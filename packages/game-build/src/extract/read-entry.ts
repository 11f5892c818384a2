// Reads one entry of a checked archive into memory.
import type { Entry } from '../judge/judge-archive.ts';
import type { Archive } from '../read-archive.ts';
import { inflateEntry } from './inflate-entry.ts';
import { LaneBuffers } from './lane-buffers.ts';
import { WHOLE_BYTES } from './read-source.ts';

/** Inflates and verifies one entry. The caller checks `entry.bytes` first. Throws a `BuildError` if its data is damaged. */
export async function readEntry(archive: Archive, entry: Entry): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(entry.bytes);
  let length = 0;
  await inflateEntry(archive.source, entry, new LaneBuffers(WHOLE_BYTES), async (chunk) => {
    length += chunk.copy(bytes, length);
  });
  return bytes;
}
