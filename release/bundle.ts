// Bundles a program and everything that it imports into a folder.
import { build } from 'rolldown';
import { ROOT } from '../scripts/workspaces.ts';

export type Bundle = {
  /** Name of each file in the folder, without its extension → the source file. */
  readonly input: Readonly<Record<string, string>>;
  readonly folder: string;
  /** Names of packages that stay imports. */
  readonly external: readonly string[];
  readonly minify: boolean;
  /** Values of constants that the sources declare. */
  readonly define?: Readonly<Record<string, string>>;
};

/** Returns the paths of the bundled source files. */
export async function bundleProgram({
  input,
  folder,
  external,
  minify,
  define = {},
}: Bundle): Promise<readonly string[]> {
  const { output } = await build({
    input,
    cwd: ROOT,
    platform: 'node',
    transform: { define },
    external: [...external],
    // A dependency of koa has one on purpose.
    checks: { eval: false },
    output: {
      dir: folder,
      format: 'esm',
      minify,
      entryFileNames: '[name].mjs',
      chunkFileNames: 'chunk-[hash].mjs',
    },
  });
  return output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []));
}
