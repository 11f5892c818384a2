// Records of decoded images and sounds.
import { roundMs } from '@svc/trace/write';
import type { Asset, AssetFacts, Assets } from '../assets/assets.ts';
import type { Call } from '../hooks/timed.ts';
import { now } from '../sink/clock.ts';

/** Records a decode that has just ended. The main thread was blocked only during the call. */
export function recordDecode(
  assets: Assets,
  asset: Asset,
  { at, ms }: Call,
  sizes: Pick<AssetFacts, 'bytes' | 'dims' | 'encoded_bytes'>,
): void {
  assets.record(asset, 'decode', at, {
    duration_ms: roundMs(now() - at),
    main_thread_ms: roundMs(ms),
    ...sizes,
  });
}

/** Records the decode of an image. Browsers decode images to four bytes per pixel. */
export function recordImage(
  assets: Assets,
  asset: Asset,
  call: Call,
  [width, height]: readonly [number, number],
): void {
  if (asset.kind === 'other') asset.kind = 'texture';
  recordDecode(assets, asset, call, { bytes: width * height * 4, dims: [width, height] });
}
