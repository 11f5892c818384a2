// Finds the files for browsers: in the folders of the checkout, or beside the bundle.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Paths of the files. */
export type SiteFiles = {
  /** The style sheets in their order. */
  readonly sheets: readonly string[];
  readonly icon: string;
  /** The folder with the built islands and their manifest. */
  readonly islands: string;
};

const SHARED_SHEETS = ['tokens', 'base'];
const OWN_SHEETS = ['reset', 'shell', 'catalog', 'game', 'forms', 'dashboard', 'editor'];

/** The folder of the files beside a bundle. */
export const SITE_FOLDER = 'site';

export function findSiteFiles(): SiteFiles {
  const bundled = join(import.meta.dirname, SITE_FOLDER);
  if (existsSync(bundled)) {
    return {
      sheets: [...SHARED_SHEETS, ...OWN_SHEETS].map((name) => join(bundled, `${name}.css`)),
      icon: join(bundled, 'icon.svg'),
      islands: join(bundled, 'islands'),
    };
  }
  const shared = SHARED_SHEETS.map((name) =>
    fileURLToPath(import.meta.resolve(`@svc/look/${name}.css`)),
  );
  const own = OWN_SHEETS.map((name) => join(import.meta.dirname, `../styles/${name}.css`));
  return {
    sheets: [...shared, ...own],
    icon: join(import.meta.dirname, 'icon.svg'),
    islands: join(import.meta.dirname, '../../dist'),
  };
}
