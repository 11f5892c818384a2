// Decodes by `ImageDecoder`: duration, and the URL of the data, which is a buffer or the body of a response.
import type { Assets } from '../assets/assets.ts';
import { field } from '../hooks/field.ts';
import { seeMade, seeRead, undoAll } from '../hooks/patch.ts';
import { timePromise } from '../hooks/timed.ts';
import { type Part, quietly, type Sink } from '../sink/sink.ts';
import { recordImage } from './record-decode.ts';
import { addressOf, kindOfUrl } from './resources.ts';

/** Tracks response → body, and data → decoder → frames. */
export function imageDecoders(assets: Assets): Part {
  return (sink) => {
    if (globalThis.ImageDecoder === undefined) return 'the browser has no ImageDecoder';
    const undos = followDecoders(sink, assets, globalThis.ImageDecoder.prototype);
    return () => undoAll(undos);
  };
}

function followDecoders(sink: Sink, assets: Assets, prototype: object): ((() => void) | null)[] {
  return [
    seeRead(globalThis.Response?.prototype, 'body', (response, body) =>
      quietly(() => {
        const url = sink.on ? addressOf(response) : undefined;
        if (url !== undefined) assets.tie(body, assets.ofUrl(url, kindOfUrl(url)));
      }),
    ),
    seeMade(globalThis, 'ImageDecoder', (decoder, [made]) =>
      quietly(() => {
        if (sink.on) assets.tie(decoder, assets.of(field(made, 'data'), 'texture'));
      }),
    ),
    timePromise(sink, prototype, 'decode', (decoder, _args, result, call) => {
      const asset = assets.of(decoder, 'texture');
      const image = field(result, 'image');
      if (asset === undefined || !(image instanceof VideoFrame)) return;
      assets.tie(image, asset);
      recordImage(assets, asset, call, [image.displayWidth, image.displayHeight]);
    }),
  ];
}
