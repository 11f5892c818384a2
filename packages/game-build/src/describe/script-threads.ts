// Detects scripts that use shared memory (threads). Feature tests, such as `crossOriginIsolated` or a small buffer, do not count:
// Unity's loader and Godot's page contain them in every export.

const WAIT = /\bAtomics\.wait(?:Async)?\s{0,4}\(/;
const BUFFER = /\bnew SharedArrayBuffer\s{0,4}\(\s{0,4}([^\s,()]{0,40})/g;
const MEMORY = /\bnew WebAssembly\.Memory\s{0,4}\(\s{0,4}\{([^{}]{0,400})/g;
const SHARED = /\bshared["']?\s{0,4}:\s{0,4}(?:true|!0)/;
const ONE_PAGE = /\bmaximum["']?\s{0,4}:\s{0,4}[01]\b(?!\s{0,4}[*<.])/;
/** Fewer bytes than one number that a thread could wait on. */
const PROBE_BYTES = /^[0-3]?$/;

/** Whether a script creates shared memory larger than a feature test, or waits on it. */
export function usesThreads(text: string): boolean {
  if (WAIT.test(text)) return true;
  for (const [, bytes = ''] of text.matchAll(BUFFER)) if (!PROBE_BYTES.test(bytes)) return true;
  for (const [, options = ''] of text.matchAll(MEMORY)) {
    if (SHARED.test(options) && !ONE_PAGE.test(options)) return true;
  }
  return false;
}
