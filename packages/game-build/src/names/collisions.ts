// Decides whether two names are the same on some file system, and whether a file is a folder too.

import { showName } from '../findings.ts';
import { foldPath } from './case-fold.ts';

/** Two names that can't stand side by side. */
export type Collision = { readonly name: string; readonly what: string };

type Node = { readonly path: string; readonly kind: 'file' | 'folder'; explicit: boolean };

/** All collisions among entries' names, a folder's ending in `/`. Folders that only paths name count as folders. */
export function findCollisions(names: Iterable<string>): Collision[] {
  const nodes = new Map<string, Node>();
  const collisions: Collision[] = [];
  for (const name of names) {
    const isFolder = name.endsWith('/');
    const path = isFolder ? name.slice(0, -1) : name;
    const key = foldPath(path);
    const what =
      placeAncestors(nodes, path, key) ??
      place(nodes, key, { path, kind: isFolder ? 'folder' : 'file', explicit: true });
    if (what !== null) collisions.push({ name, what });
  }
  return collisions;
}

function placeAncestors(nodes: Map<string, Node>, path: string, key: string): string | null {
  let keyAt = key.indexOf('/');
  let pathAt = path.indexOf('/');
  while (keyAt !== -1 && pathAt !== -1) {
    const folder: Node = { path: path.slice(0, pathAt), kind: 'folder', explicit: false };
    const what = place(nodes, key.slice(0, keyAt), folder);
    if (what !== null) return what;
    keyAt = key.indexOf('/', keyAt + 1);
    pathAt = path.indexOf('/', pathAt + 1);
  }
  return null;
}

/** Adds a node, or says in what way it collides with the one that is there. */
function place(nodes: Map<string, Node>, key: string, node: Node): string | null {
  const there = nodes.get(key);
  if (there === undefined) {
    nodes.set(key, node);
    return null;
  }
  if (there.kind !== node.kind) return `makes ${showName(there.path)} a file and a folder.`;
  if (there.path !== node.path) {
    return `has the same name as ${showName(there.path)} where case and accents' form don't count.`;
  }
  if (there.explicit && node.explicit) return 'is there twice.';
  there.explicit ||= node.explicit;
  return null;
}
