// `@svc/collector/phaser`: the files of Phaser's textures and sounds. Phaser loads images through object URLs, which do not
// contain the file name.
import { cameFrom, field, objectAt, seeCalls } from './follow-engine.ts';

/** Tracks all loaders of Phaser: `followPhaser(Phaser)`. Returns a function that stops it. */
export function followPhaser(phaser: object): () => void {
  const loader = objectAt(phaser, 'Loader', 'LoaderPlugin', 'prototype');
  // Phaser calls it with each file after it was loaded and before it is processed.
  return seeCalls(loader, 'nextFile', (_self, [file]) => {
    const url = field(file, 'src');
    cameFrom(field(objectAt(file, 'xhrLoader'), 'response'), url);
    cameFrom(field(file, 'data'), url);
  });
}
