// Tells whether a script uses shared memory (threads), from what it makes and waits on. That it asks whether it could, by
// `crossOriginIsolated` or by a small probe, says nothing: Unity's loader and Godot's page do so in every export.

const WAIT = /\bAtomics\.wait(?:Async)?\s{0,4}\(/;
const BUFFER = /\bnew SharedArrayBuffer\s{0,4}\(\s{0,4}([^\s,()]{0,40})/g;
const MEMORY = /\bnew WebAssembly\.Memory\s{0,4}\(\s{0,4}\{([^{}]{0,400})/g;
const SHARED = /\bshared["']?\s{0,4}:\s{0,4}(?:true|!0)/;
const ONE_PAGE = /\bmaximum["']?\s{0,4}:\s{0,4}[01]\b(?!\s{0,4}[*<.])/;
/** Fewer bytes than one number that threads could wait on. */
const PROBE_BYTES = /^[0-3]?$/;

/** True where a script makes shared memory that is more than a probe, or waits on it. */
export function usesThreads(text: string): boolean {
  if (WAIT.test(text)) return true;
  for (const [, bytes = ''] of text.matchAll(BUFFER)) if (!PROBE_BYTES.test(bytes)) return true;
  for (const [, options = ''] of text.matchAll(MEMORY)) {
    if (SHARED.test(options) && !ONE_PAGE.test(options)) return true;
  }
  return false;
}
