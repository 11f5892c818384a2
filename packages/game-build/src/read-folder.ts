// Reads the files of a planned folder, with the result of a server that receives them.
import type { BuildDescription } from './build.ts';
import { type ExtractOptions, type Reading, readFiles } from './extract/read-files.ts';
import { readSource } from './extract/read-source.ts';
import { judgeListing } from './judge/listing.ts';
import type { PackPlan } from './pack/plan-pack.ts';
import { openPlanned } from './pack/read-planned.ts';

/**
 * Reads each file once, hashes and describes it. Throws a {@link BuildError}: those of a server, and `file_changed` if a file has
 * changed since the plan.
 */
export async function readFolder(
  plan: PackPlan,
  { searchTexts = true, ...options }: ExtractOptions & Pick<Reading<never>, 'searchTexts'> = {},
): Promise<BuildDescription> {
  const found = new Map(plan.files.map((file) => [file.path, file]));
  const files = plan.files.map(({ path, bytes }) => ({ path, bytes, sha256: null }));
  const { build } = await readFiles(
    {
      listing: judgeListing(files, plan.limits),
      async read({ name, bytes, dropped }, buffers, onChunk) {
        const file = found.get(name);
        if (file === undefined || dropped) return;
        await using source = openPlanned(file);
        source.assertUnchanged();
        await readSource(source, { offset: 0, bytes }, buffers, onChunk);
        source.assertUnchanged();
      },
      sink: null,
      before: null,
      searchTexts,
    },
    options,
  );
  return build;
}
