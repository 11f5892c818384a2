// Loads, as resource timing tells them: sizes on the wire, encoded and decoded, from a cache or not, or hidden.
import { type AssetKind, roundMs } from '@svc/trace/write';
import type { AssetFacts, Assets } from '../assets/assets.ts';
import { observe } from '../hooks/observe.ts';
import type { Part } from '../sink/sink.ts';

const KINDS: readonly (readonly [AssetKind, RegExp])[] = [
  ['texture', /\.(png|jpe?g|webp|avif|gif|svg|ktx2?|dds|basis|hdr|exr|tga)$/],
  ['audio', /\.(mp3|ogg|opus|wav|m4a|aac|flac)$/],
  ['mesh', /\.(glb|gltf|obj|fbx|stl|ply|drc)$/],
  ['video', /\.(mp4|webm|mov|m4v)$/],
  ['font', /\.(woff2?|ttf|otf)$/],
  ['script', /\.(m?js|wasm)$/],
  ['shader', /\.(glsl|vert|frag|wgsl)$/],
  ['data', /\.(json|bin|dat|xml|csv|txt)$/],
];
const KIND_OF_INITIATOR: Readonly<Record<string, AssetKind>> = {
  img: 'texture',
  image: 'texture',
  audio: 'audio',
  video: 'video',
  script: 'script',
};

/** What sort of asset a URL is, by its ending, then by who asked for it. */
export function kindOfUrl(url: string, initiator = ''): AssetKind {
  const path = /^[^?#]*/.exec(url)?.[0].toLowerCase() ?? '';
  const byEnding = KINDS.find(([, ending]) => ending.test(path))?.[0];
  return byEnding ?? KIND_OF_INITIATOR[initiator] ?? 'other';
}

/** Records each load, those before the start too (at time 0) unless the browser no longer holds them. */
export function resources(assets: Assets): Part {
  return (sink) =>
    observe(
      'resource',
      true,
      (entry) => {
        if (!(entry instanceof PerformanceResourceTiming)) return;
        const asset = assets.ofUrl(entry.name, kindOfUrl(entry.name, entry.initiatorType));
        if (asset !== undefined) assets.tell(asset, 'load', entry.startTime, factsOf(entry));
      },
      (count) => {
        sink.lost += count;
        sink.write({ type: 'loss', t: 0, reason: 'buffer_full', count });
      },
    );
}

/**
 * Sizes and times of one load. Another origin that does not allow timing hides all but the duration: opaque, not 0. Chromium ends
 * the load of a worker's script before it began: then its duration is not known.
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

/** The address of a response; undefined for one that was not loaded. */
export function addressOf(response: unknown): string | undefined {
  const url: unknown = Object(response).url;
  return typeof url === 'string' && url !== '' ? url : undefined;
}
