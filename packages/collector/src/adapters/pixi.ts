// `@svc/collector/pixi`: the files of PixiJS textures. PixiJS loads and decodes in a worker, which the collector of the page
// cannot observe.
import { apply, replaceMethod } from '../hooks/patch.ts';
import { watch } from '../hooks/timed.ts';
import { cameFrom, field, objectAt } from './follow-engine.ts';

/** Tracks the loader of `Assets`: `followPixi({ Loader })` with PixiJS's `Loader` class. Returns a function that stops it. */
export function followPixi(pixi: { readonly Loader: object }): () => void {
  const undo = replaceMethod(objectAt(pixi.Loader, 'prototype'), 'load', (original) => {
    return function (this: unknown, ...args: never[]) {
      return watch(apply(original, this, args), tieLoaded);
    };
  });
  return () => undo?.();
}

/** One asset, or a record of them by URL. */
function tieLoaded(loaded: unknown): void {
  if (tieTexture(loaded)) return;
  for (const one of Object.values(objectAt(loaded) ?? {})) tieTexture(one);
}

/** PixiJS labels the source of a texture with its URL. */
function tieTexture(texture: unknown): boolean {
  const source = objectAt(texture, 'source');
  if (source === null) return false;
  cameFrom(field(source, 'resource'), field(source, 'label'));
  return true;
}
