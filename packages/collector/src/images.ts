// Which URL a blob, a buffer, an image or a bitmap came from, and how long image decodes took.
import { roundMs } from '@svc/trace/write';
import type { Asset, Assets } from './assets.ts';
import { now } from './clock.ts';
import { type Method, replaceMethod, undoAll } from './patch.ts';
import { kindOfUrl } from './resources.ts';
import { type Part, quietly, type Sink } from './sink.ts';
import { watch } from './timed.ts';

/** Follows response → blob or buffer → object URL, and times `createImageBitmap` and `image.decode()`. */
export function images(assets: Assets): Part {
  return (sink) => {
    const undos = [
      ...['blob', 'arrayBuffer', 'bytes'].map((name) => followBody(sink, assets, name)),
      followBlobBuffer(sink, assets),
      followObjectUrl(sink, assets),
      timeBitmap(sink, assets),
      timeDecode(sink, assets),
    ];
    return () => undoAll(undos);
  };
}

function followBody(sink: Sink, assets: Assets, name: string): (() => void) | null {
  return replaceMethod(globalThis.Response?.prototype, name, (original) => {
    return function (this: unknown, ...args: never[]) {
      const promise = original.apply(this, args);
      if (!sink.on || !(this instanceof Response) || this.url === '') return promise;
      const { url } = this;
      return watch(promise, (body) => {
        const asset = assets.ofUrl(url, kindOfUrl(url));
        assets.tie(ArrayBuffer.isView(body) ? body.buffer : body, asset);
      });
    };
  });
}

function followBlobBuffer(sink: Sink, assets: Assets): (() => void) | null {
  return replaceMethod(globalThis.Blob?.prototype, 'arrayBuffer', (original) => {
    return function (this: unknown, ...args: never[]) {
      const promise = original.apply(this, args);
      const asset = sink.on ? assets.of(this, 'other') : undefined;
      return asset === undefined ? promise : watch(promise, (buffer) => assets.tie(buffer, asset));
    };
  });
}

function followObjectUrl(sink: Sink, assets: Assets): (() => void) | null {
  return replaceMethod(globalThis.URL, 'createObjectURL', (original) => {
    return function (this: unknown, ...args: never[]) {
      const url = original.apply(this, args);
      if (sink.on && typeof url === 'string') {
        quietly(() => assets.tieBlobUrl(url, assets.of(args[0], 'other')));
      }
      return url;
    };
  });
}

function timeBitmap(sink: Sink, assets: Assets): (() => void) | null {
  return replaceMethod(globalThis, 'createImageBitmap', (original) => {
    return function (this: unknown, ...args: never[]) {
      const at = now();
      const promise = original.apply(this, args);
      if (!sink.on) return promise;
      const called = now() - at;
      return watch(promise, (bitmap) => {
        const asset = assets.of(args[0], 'texture');
        if (asset === undefined || !(bitmap instanceof ImageBitmap)) return;
        assets.tie(bitmap, asset);
        tellDecode(assets, asset, at, called, bitmap.width, bitmap.height);
      });
    };
  });
}

function timeDecode(sink: Sink, assets: Assets): (() => void) | null {
  return replaceMethod(globalThis.HTMLImageElement?.prototype, 'decode', (original: Method) => {
    return function (this: unknown, ...args: never[]) {
      const at = now();
      const promise = original.apply(this, args);
      if (!sink.on) return promise;
      const called = now() - at;
      return watch(promise, () => {
        const asset = assets.of(this, 'texture');
        if (asset === undefined || !(this instanceof HTMLImageElement)) return;
        tellDecode(assets, asset, at, called, this.naturalWidth, this.naturalHeight);
      });
    };
  });
}

/** Four bytes a pixel is what a browser decodes an image to. The main thread waits only as long as the call took. */
function tellDecode(
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
