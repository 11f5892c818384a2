// `@svc/collector/pixi`: which file the textures of PixiJS came from. It loads and decodes in a worker, where the
// collector of the page cannot see.
import { apply, replaceMethod } from '../hooks/patch.ts';
import { watch } from '../hooks/timed.ts';
import { cameFrom, field, objectAt } from './follow-engine.ts';

/** Follows the loader behind `Assets`: `followPixi({ Loader })` with PixiJS's own `Loader` class. Returns how to stop. */
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

/** PixiJS labels a texture's source with the URL it came from. */
function tieTexture(texture: unknown): boolean {
  const source = objectAt(texture, 'source');
  if (source === null) return false;
  cameFrom(field(source, 'resource'), field(source, 'label'));
  return true;
}
