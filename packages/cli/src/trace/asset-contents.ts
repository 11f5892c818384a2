// Finds the file of a build that an asset in a trace was loaded from.
import type { Build, BuildFile } from '@svc/game-build';

/**
 * Returns a function from the name of an asset to the file of the build; null if there is none. In a trace, the name is the path
 * in the address, which may begin with the address of the game on its host: `play/goats/art/comet.png` is `art/comet.png`.
 */
export function findFiles(build: Build): (name: string) => BuildFile | null {
  const files = new Map(build.files.map((file) => [file.path, file]));
  return (name) => {
    for (let path = name; ; ) {
      const file = files.get(path) ?? files.get(decoded(path));
      if (file !== undefined) return file;
      const slash = path.indexOf('/');
      if (slash === -1) return null;
      path = path.slice(slash + 1);
    }
  };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
