// The names and files of the cache with which the static site works offline. Pure.

/** What the build knows about a version of the site. */
export type SiteVersion = {
  /** Changes with any file. */
  readonly version: string;
  readonly files: readonly SiteFile[];
};

export type SiteFile = {
  /** Relative to the folder of the site. Empty for the page, which is at the address of the folder. */
  readonly path: string;
  /** As in the attribute `integrity`: `sha256-` and base64. */
  readonly integrity: string;
};

/** Names the cache of a version. The scope is part of it, because all sites of an origin share their caches. */
export function cacheName(scope: string, version: string): string {
  return `${prefixOf(scope)}${version}`;
}

/** Returns whether a cache belongs to another version of the site with this scope. */
export function isOutdated(name: string, scope: string, version: string): boolean {
  return name.startsWith(prefixOf(scope)) && name !== cacheName(scope, version);
}

function prefixOf(scope: string): string {
  return `svc-viewer ${scope} `;
}

/** Returns the path of the file that an address requests; null if it requests no file of the site. */
export function requestedPath(
  address: string,
  scope: string,
  files: readonly SiteFile[],
): string | null {
  const { origin, pathname } = new URL(address);
  const plain = `${origin}${pathname}`;
  if (!plain.startsWith(scope)) return null;
  const rest = plain.slice(scope.length);
  const path = rest === 'index.html' ? '' : rest;
  return files.some((file) => file.path === path) ? path : null;
}
