// What is told of the decode of an image, by whichever way the game asks for it.
import { roundMs } from '@svc/trace/write';
import type { Asset, Assets } from '../assets/assets.ts';
import { now } from '../sink/clock.ts';

/** Four bytes a pixel is what a browser decodes an image to. The main thread waits only as long as the call took. */
export function tellDecode(
  assets: Assets,
  asset: Asset,
  at: number,
  called: number,
  width: number,
  height: number,
): void {
  if (asset.kind === 'other') asset.kind = 'texture';
  assets.tell(asset, 'decode', at, {
    duration_ms: roundMs(now() - at),
    main_thread_ms: roundMs(called),
    bytes: width * height * 4,
    dims: [width, height],
  });
}
