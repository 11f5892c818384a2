// The URLs of blobs, buffers, images and bitmaps, and the durations of image decodes.
import type { Assets } from '../assets/assets.ts';
import { apply, replaceMethod, undoAll } from '../hooks/patch.ts';
import { timePromise } from '../hooks/timed.ts';
import { type Part, quietly, type Sink } from '../sink/sink.ts';
import { recordImage } from './record-decode.ts';
import { addressOf, kindOfUrl } from './resources.ts';

/** Tracks response → blob or buffer → object URL, and times `createImageBitmap` and `image.decode()`. */
export function images(assets: Assets): Part {
  return (sink) => {
    const undos = [
      ...['blob', 'arrayBuffer', 'bytes'].map((name) => followBody(sink, assets, name)),
      followBlobBuffer(sink, assets),
      followObjectUrl(sink, assets),
      timeBitmap(sink, assets),
      timeDecode(sink, assets),
    ];
    if (undos.every((undo) => undo === null)) return 'its methods cannot be replaced';
    return () => undoAll(undos);
  };
}

function followBody(sink: Sink, assets: Assets, name: string): (() => void) | null {
  return timePromise(sink, globalThis.Response?.prototype, name, (response, _args, body) => {
    const url = addressOf(response);
    if (url === undefined) return;
    const asset = assets.ofUrl(url, kindOfUrl(url));
    assets.tie(ArrayBuffer.isView(body) ? body.buffer : body, asset);
  });
}

function followBlobBuffer(sink: Sink, assets: Assets): (() => void) | null {
  return timePromise(sink, globalThis.Blob?.prototype, 'arrayBuffer', (blob, _args, buffer) =>
    assets.tie(buffer, assets.of(blob, 'other')),
  );
}

function followObjectUrl(sink: Sink, assets: Assets): (() => void) | null {
  return replaceMethod(globalThis.URL, 'createObjectURL', (original) => {
    return function (this: unknown, ...args: never[]) {
      const url = apply(original, this, args);
      if (sink.on && typeof url === 'string') {
        quietly(() => assets.tieBlobUrl(url, assets.of(args[0], 'other')));
      }
      return url;
    };
  });
}

function timeBitmap(sink: Sink, assets: Assets): (() => void) | null {
  return timePromise(
    sink,
    ownerOf('createImageBitmap'),
    'createImageBitmap',
    (_self, [source], bitmap, call) => {
      const asset = assets.of(source, 'texture');
      if (asset === undefined || !(bitmap instanceof ImageBitmap)) return;
      assets.tie(bitmap, asset);
      recordImage(assets, asset, call, [bitmap.width, bitmap.height]);
    },
  );
}

/** The object that has a global function as own property: the global object in a page, a prototype of it in a worker. */
function ownerOf(name: string): object | undefined {
  let owner: object | null = globalThis;
  while (owner !== null && !Object.hasOwn(owner, name)) owner = Object.getPrototypeOf(owner);
  return owner ?? undefined;
}

function timeDecode(sink: Sink, assets: Assets): (() => void) | null {
  const owner = globalThis.HTMLImageElement?.prototype;
  return timePromise(sink, owner, 'decode', (image, _args, _value, call) => {
    const asset = assets.of(image, 'texture');
    if (asset === undefined || !(image instanceof HTMLImageElement)) return;
    recordImage(assets, asset, call, [image.naturalWidth, image.naturalHeight]);
  });
}
