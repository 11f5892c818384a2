// `@svc/collector/phaser`: which file the textures and sounds of Phaser came from. Its loader hides that: it hands images
// on as object URLs of bodies that no URL stands on.
import { cameFrom, field, objectAt, seeCalls } from './follow-engine.ts';

/** Follows every loader of the given Phaser: `followPhaser(Phaser)`. Returns how to stop. */
export function followPhaser(phaser: object): () => void {
  const loader = objectAt(phaser, 'Loader', 'LoaderPlugin', 'prototype');
  // Called with each file once its body is there and before anything is made of it.
  return seeCalls(loader, 'nextFile', (_self, [file]) => {
    const url = field(file, 'src');
    cameFrom(field(objectAt(file, 'xhrLoader'), 'response'), url);
    cameFrom(field(file, 'data'), url);
  });
}
