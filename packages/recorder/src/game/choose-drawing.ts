// Chooses the document or worker that draws the game. Its frames are recorded: others can be smooth while the game hitches.
import type { GameDocument } from './document.ts';

/**
 * The document with the largest canvas. If the largest one is drawn by a worker, the newest worker that draws. Without a canvas the
 * page itself. Null if nothing is open.
 */
export function chooseDrawing(documents: readonly GameDocument[]): GameDocument | null {
  const open = documents.filter(({ isOpen }) => isOpen);
  const pages = open.filter(({ kind }) => kind !== 'worker');
  const own = largest(pages, ({ surface }) => surface.own);
  const transferred = Math.max(0, ...pages.map(({ surface }) => surface.transferred));
  const worker = open.findLast(({ surface }) => surface.worker);
  if (worker !== undefined && transferred > (own?.surface.own ?? 0)) return worker;
  if (own !== null) return own;
  return pages.findLast(({ kind }) => kind === 'page') ?? pages.at(-1) ?? null;
}

/** The first document with the largest positive size. */
function largest(
  documents: readonly GameDocument[],
  sizeOf: (document: GameDocument) => number,
): GameDocument | null {
  let found: GameDocument | null = null;
  for (const document of documents) {
    if (sizeOf(document) > (found === null ? 0 : sizeOf(found))) found = document;
  }
  return found;
}
