// The files beside the executable on Linux and macOS: the manual page and the completions of shells.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { formatBash } from '../../packages/cli/src/commands/completion/bash.ts';
import { formatFish } from '../../packages/cli/src/commands/completion/fish.ts';
import { readTree } from '../../packages/cli/src/commands/completion/tree.ts';
import { formatZsh } from '../../packages/cli/src/commands/completion/zsh.ts';
import { loadAllCommands } from '../../packages/cli/src/commands.ts';
import { readVersion } from '../../scripts/version.ts';
import { manPage } from './man-page.ts';

/** Where each file is below a prefix such as `/usr`. */
export const SHARED_FILES = {
  manual: 'share/man/man1/svc.1',
  bash: 'share/bash-completion/completions/svc',
  zsh: 'share/zsh/site-functions/_svc',
  fish: 'share/fish/vendor_completions.d/svc.fish',
} as const;

/** The manual pages of the servers, below a prefix. */
export const SERVER_MANUALS = {
  'svc-platform': 'share/man/man1/svc-platform.1',
  'svc-web': 'share/man/man1/svc-web.1',
} as const;

/** Writes the files below the prefix. */
export async function writeSharedFiles(prefix: string, time: Date): Promise<void> {
  const commands = await loadAllCommands();
  const tree = readTree(commands);
  const texts: Readonly<Record<keyof typeof SHARED_FILES, string>> = {
    manual: manPage({ commands, version: readVersion(), time }),
    bash: formatBash(tree),
    zsh: formatZsh(tree),
    fish: formatFish(tree),
  };
  for (const [name, path] of Object.entries(SHARED_FILES)) {
    const file = join(prefix, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, texts[name as keyof typeof texts]);
  }
}
