// Extracts a ZIP into a folder with our reader, with all checks and hashes: `node ours.ts ZIP FOLDER`. Prints the peak memory.
import { mkdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { extractEntries, readArchive } from '../../packages/game-build/src/index.ts';

const [zip = '', folder = ''] = process.argv.slice(2);
await using archive = await readArchive(zip);
await extractEntries(archive, async ({ path }) => {
  const target = join(folder, path);
  mkdirSync(dirname(target), { recursive: true });
  const handle = await open(target, 'w');
  return {
    write: async (chunk) => {
      await handle.writeFile(chunk);
    },
    finish: () => handle.close(),
    abort: () => handle.close(),
  };
});
console.log(process.resourceUsage().maxRSS);
