// Loads from resource timing: transferred, encoded and decoded sizes, and whether they came from a cache.
import { ASSET_KINDS, type AssetKind, roundMs } from '@svc/trace/write';
import type { AssetFacts, Assets } from '../assets/assets.ts';
import { observe } from '../hooks/observe.ts';
import type { Part } from '../sink/sink.ts';

/** Each kind with its extensions. A file that has only the extension of a compression is data. */
const KINDS = `texture png jpg jpeg webp avif gif svg ktx ktx2 dds basis hdr exr tga
audio mp3 ogg opus wav m4a aac flac
mesh glb gltf obj fbx stl ply drc
video mp4 webm mov m4v
font woff woff2 ttf otf
script js mjs wasm
shader glsl vert frag wgsl
data json bin dat xml csv txt data mem pck bundle br gz unityweb`;

/** The kind of asset of a URL, by its extension, otherwise by the initiator of the request. */
export function kindOfUrl(url: string, initiator = ''): AssetKind {
  const path = url.replace(/[?#].*/s, '').toLowerCase();
  const [, ending = ''] = /\.(\w+)(\.(br|gz|unityweb))?$/.exec(path) ?? [];
  const row = KINDS.split('\n').find((one) => one.split(' ').includes(ending));
  const kind = row ?? initiator.replace(/^im.*/, 'texture');
  return ASSET_KINDS.find((one) => kind.startsWith(one)) ?? 'other';
}

/** Records each load. Earlier loads are recorded at time 0 if the browser still has their entries. */
export function resources(assets: Assets): Part {
  return (sink) =>
    observe(
      'resource',
      true,
      (entry) => {
        if (!(entry instanceof PerformanceResourceTiming)) return;
        const asset = assets.ofUrl(entry.name, kindOfUrl(entry.name, entry.initiatorType));
        if (asset !== undefined) assets.record(asset, 'load', entry.startTime, factsOf(entry));
      },
      (count) => {
        sink.lost += count;
        sink.write({ type: 'loss', t: 0, reason: 'buffer_full', count });
      },
    );
}

/**
 * Sizes and times of one load. A cross-origin load without permission has only a duration and is opaque. In Chromium the load of
 * a worker's script can end before it starts; then the duration is unknown.
 */
function factsOf(entry: PerformanceResourceTiming): AssetFacts {
  const took = entry.duration >= 0 && { duration_ms: roundMs(entry.duration) };
  const hidden =
    entry.requestStart === 0 && entry.transferSize === 0 && entry.decodedBodySize === 0;
  if (hidden) return { ...took, opaque: true };
  const cached = entry.transferSize === 0 && entry.decodedBodySize > 0;
  return {
    ...took,
    transfer_bytes: entry.transferSize,
    encoded_bytes: entry.encodedBodySize,
    bytes: entry.decodedBodySize,
    cached,
  };
}

/** The URL of a response; undefined if it was not loaded. */
export function addressOf(response: unknown): string | undefined {
  const url: unknown = Object(response).url;
  return typeof url === 'string' && url !== '' ? url : undefined;
}
