// The version of svc, from package.json, and the answer to `svc --version`.
import manifest from '../../package.json' with { type: 'json' };

export const VERSION: string = manifest.version;

/** The version of the trace format: the `vpt` of each file. The format's own limits are not loaded for it. */
const FORMAT_VERSION = 1;

const FLAGS: readonly string[] = ['--version', '-V'];

/**
 * Returns the text for a command line that asks for the version and for nothing else, with or without `--json`. Null for all others.
 * Editors and scripts ask often, so nothing else is loaded.
 */
export function versionAnswer(argv: readonly string[]): string | null {
  const words = argv.filter((word) => word !== '--json');
  if (words.length !== 1 || !FLAGS.includes(words[0] ?? '') || argv.length > 2) return null;
  if (argv.length === 1) return `${VERSION}\n`;
  const { node } = process.versions;
  return `${JSON.stringify({ version: VERSION, format: FORMAT_VERSION, node }, null, 2)}\n`;
}
