// Finds the source map of a script by its URL.
import { cleanUrl } from '@svc/trace/write';
import { resolveInside } from '../files/match-path.ts';
import { findMapReference } from '../maps/map-reference.ts';
import { parseMap } from '../maps/parse-map.ts';
import { ScriptMap } from '../maps/script-map.ts';
import { SymbolFault } from '../symbol-fault.ts';
import { type FileCache, textOf } from './file-cache.ts';

/** The map of a script, and the path of the file that contains it. */
export type FoundMap = { readonly map: ScriptMap; readonly path: string };

/**
 * The map that the script names in its last line, else `SCRIPT.map` beside it, else the only `NAME.map` in the files. Null if
 * there is none or it can't be used. Without the script, the map alone is used.
 */
export async function findScriptMap(url: string, files: FileCache): Promise<FoundMap | null> {
  const path = files.index.find(url);
  const alone = files.index.find(url, '.map');
  if (path === null) return alone === null ? null : await openMap(alone, null, files);
  return await files.once(path, textOf).then(async (code) => {
    if (code === null) return null;
    const reference = findMapReference(code);
    if (reference?.kind === 'inline') return openInline(path, code, reference.text, files);
    const named = reference === null ? null : resolveInside(path, reference.url);
    const candidates = [named, `${path}.map`, alone];
    const found = candidates.find((one) => one !== null && files.index.has(one)) ?? null;
    if (found !== null) return await openMap(found, code, files);
    if (reference !== null) {
      files.warn(path, `its source map "${cleanUrl(reference.url)}" is not among the files`);
    }
    return null;
  });
}

async function openMap(
  path: string,
  code: string | null,
  files: FileCache,
): Promise<FoundMap | null> {
  const parsed = await files.once(path, (bytes) => parseMap(textOf(bytes)));
  return parsed === null ? null : { map: new ScriptMap(parsed, code), path };
}

function openInline(path: string, code: string, text: string, files: FileCache): FoundMap | null {
  try {
    return { map: new ScriptMap(parseMap(text), code), path };
  } catch (error) {
    if (!(error instanceof SymbolFault)) throw error;
    files.warn(path, `its source map can't be used: ${error.message}`);
    return null;
  }
}
