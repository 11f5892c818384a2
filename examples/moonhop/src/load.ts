// Loads the assets. Most are loaded well: fetched, decoded off the main thread, uploaded once. Two are intentionally loaded
// badly, so that a profiler has something to find.
import * as svc from '@svc/collector';
import type { SkyFile } from './sky-map.ts';

const address = (path: string): string => new URL(path, document.baseURI).href;

/** Fetches and decodes an image off the main thread. */
export async function loadPicture(path: string): Promise<ImageBitmap> {
  const response = await fetch(address(path));
  return createImageBitmap(await response.blob(), { premultiplyAlpha: 'premultiply' });
}

/** Loads an image element without waiting for its decode. The first upload then waits for the decode. */
export function loadPictureLazily(path: string): Promise<HTMLImageElement> {
  return new Promise((done, fail) => {
    const image = new Image();
    image.onload = () => done(image);
    image.onerror = () => fail(new Error(`Cannot load "${path}"`));
    image.src = address(path);
  });
}

/** Fetches the map and parses it on the main thread, which is noticeable for a map of this size. */
export async function loadSky(path: string): Promise<SkyFile> {
  const text = await (await fetch(address(path))).text();
  const from = performance.now();
  const sky: SkyFile = JSON.parse(text);
  const mainThreadMs = performance.now() - from;
  svc.asset(path, {
    kind: 'data',
    phase: 'decode',
    durationMs: mainThreadMs,
    mainThreadMs,
    bytes: text.length * 2,
  });
  return sky;
}

export async function loadBytes(path: string): Promise<ArrayBuffer> {
  return (await fetch(address(path))).arrayBuffer();
}
