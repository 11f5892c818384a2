// Finds names that are equal on some file system, and files that are also folders.

import { entryFinding, type Refusal, showName } from '../findings.ts';
import { foldPath } from './case-fold.ts';

/** A name that collides with an earlier one. */
export type Collision = { readonly name: string; readonly what: string };

export function collisionFinding({ name, what }: Collision): Refusal {
  const hint = 'Rename or remove one of them.';
  return entryFinding(name, { code: 'zip_path_collision', rule: 'collision', what, hint });
}

type Node = { readonly path: string; readonly kind: 'file' | 'folder'; explicit: boolean };

/** All collisions among the names of entries. Names of folders end in `/`. The folders in a path count, too. */
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

/** Adds a node. Returns how it collides with an existing one, or null. */
function place(nodes: Map<string, Node>, key: string, node: Node): string | null {
  const there = nodes.get(key);
  if (there === undefined) {
    nodes.set(key, node);
    return null;
  }
  if (there.kind !== node.kind) return `makes ${showName(there.path)} both a file and a folder.`;
  if (there.path !== node.path) {
    return `has the same name as ${showName(there.path)} on systems that ignore case and the Unicode form of accents.`;
  }
  if (there.explicit && node.explicit) return 'exists twice.';
  there.explicit ||= node.explicit;
  return null;
}
