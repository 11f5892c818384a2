// Size of a manifest in the database and in memory, and the time of reading it, by the number of files.
import { createHash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Delivery, makeRepresentations } from '@svc/delivery';
import {
  decodeManifest,
  encodeManifest,
  type ManifestFile,
} from '../../packages/platform/src/database/manifest.ts';
import { median } from './measure.ts';

const ROUNDS = 9;
const DELIVERY: Delivery = {
  isolation: 'none',
  profiling: false,
  embedder: 'https://games.example',
  keyOf: (coding) => `game/place/${coding ?? 'identity'}`,
};
/** Manifests in memory at the same time, so that the size of one is measured well. */
const FILES_HELD = 40_000;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

export async function measureManifests(sizes: readonly number[]): Promise<void> {
  for (const count of sizes) {
    const encoded = await encodeManifest(makeFiles(count));
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const start = performance.now();
      await decodeManifest(encoded);
      times.push(performance.now() - start);
    }
    const copies = Math.ceil(FILES_HELD / count);
    const cached = await heapOf(async () => {
      const held: unknown[] = [];
      for (let copy = 0; copy < copies; copy++) {
        held.push(new Map((await decodeManifest(encoded)).map((file) => [file.path, file])));
      }
      return held;
    });
    console.log(
      `manifest of ${count} files: ${encoded.length} bytes, ${(encoded.length / count).toFixed(0)} a file (a row a file took 303); decoded in ${median(times).toFixed(2)} ms; in memory ${Math.round(cached / copies / count)} bytes a file`,
    );
  }
  const files = makeFiles(FILES_HELD);
  const forms = await heapOf(async () => files.map((file) => makeRepresentations(file, DELIVERY)));
  console.log(`prepared headers: ${Math.round(forms / FILES_HELD)} bytes of memory a file`);
}

/** Files as an engine exports them: most are art, a fifth has compressed variants. */
function makeFiles(count: number): ManifestFile[] {
  return Array.from({ length: count }, (_, index) => {
    const hash = createHash('sha256').update(`${index}`).digest('hex');
    const bytes = 1000 + (Number.parseInt(hash.slice(0, 6), 16) % 500_000);
    const isText = index % 5 === 0;
    return {
      path: `assets/level-${index % 20}/${isText ? 'script' : 'texture'}-${index}.${isText ? 'js' : 'webp'}`,
      hash,
      place: '0198c0de-0000-7000-8000-000000000000',
      type: isText ? 'text/javascript; charset=utf-8' : 'image/webp',
      encoding: null,
      bytes,
      inner_bytes: bytes,
      hashed_name: 0,
      gzip_bytes: isText ? Math.round(bytes * 0.31) : null,
      br_bytes: isText ? Math.round(bytes * 0.27) : null,
    };
  });
}

/** The heap that a value takes, in bytes. */
async function heapOf(make: () => Promise<unknown>): Promise<number> {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const held = await make();
  collectGarbage();
  const bytes = process.memoryUsage().heapUsed - before;
  // The value must be alive until here.
  if (held === undefined) throw new Error('Nothing was made');
  return bytes;
}
