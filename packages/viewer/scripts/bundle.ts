// Bundles one entry of the viewer into one script that needs no module loader, and its styles.
import { join } from 'node:path';
import { build, type Rolldown } from 'vite';

/** The folder of the package. */
export const PACKAGE = join(import.meta.dirname, '..');

export type Bundle = { readonly code: string; readonly css: string };

/** Bundles `src/ENTRY`. Each key of `constants` is a name in the code, and its value is inserted as JSON. */
export async function bundle(
  entry: string,
  constants: Readonly<Record<string, unknown>> = {},
): Promise<Bundle> {
  const define = Object.entries(constants).map(([name, value]) => [name, JSON.stringify(value)]);
  const built = await build({
    root: PACKAGE,
    configFile: false,
    logLevel: 'warn',
    define: Object.fromEntries(define),
    build: {
      write: false,
      target: 'es2024',
      cssCodeSplit: false,
      modulePreload: false,
      rolldownOptions: { input: join(PACKAGE, 'src', entry), output: { format: 'iife' } },
    },
  });
  const output = [built].flat().flatMap((one) => ('output' in one ? one.output : []));
  return { code: codeOf(entry, output), css: stylesOf(output) };
}

type Output = Rolldown.OutputChunk | Rolldown.OutputAsset;

function codeOf(entry: string, output: readonly Output[]): string {
  const chunks = output.filter((one) => one.type === 'chunk');
  const [chunk] = chunks;
  if (chunk === undefined || chunks.length > 1) {
    throw new Error(`src/${entry} makes ${chunks.length} scripts instead of one`);
  }
  return chunk.code;
}

function stylesOf(output: readonly Output[]): string {
  const assets = output.filter((one) => one.type === 'asset');
  const other = assets.find(({ fileName }) => !fileName.endsWith('.css'));
  if (other !== undefined) throw new Error(`${other.fileName} is not part of the one page`);
  return assets.map(({ source }) => String(source)).join('');
}
