// Reads the addresses and anchors of the pages that VitePress has made, and finds addresses that lead nowhere.
import { posix } from 'node:path';

export type SitePage = {
  /** The targets of links, and what the page loads. */
  readonly addresses: readonly string[];
  /** What the page loads without a click. */
  readonly loaded: readonly string[];
  readonly ids: readonly string[];
};

const LOADING = ['img', 'link', 'script', 'source', 'iframe', 'video', 'audio'];

/** In VitePress's pages, `<` is in tags only, and all attributes have double quotes. */
export function readPage(html: string): SitePage {
  const tags = [...html.matchAll(/<([a-z]\w*)\s((?:"[^"]*"|[^<>"])*)>/g)].map(
    ([, name = '', attributes = '']) => ({
      name,
      addresses: valuesOf(attributes, 'href|src|srcset'),
      ids: valuesOf(attributes, 'id'),
    }),
  );
  return {
    addresses: tags.flatMap((tag) => tag.addresses),
    loaded: tags.filter(({ name }) => LOADING.includes(name)).flatMap((tag) => tag.addresses),
    ids: tags.flatMap((tag) => tag.ids),
  };
}

function valuesOf(attributes: string, names: string): string[] {
  return [...attributes.matchAll(new RegExp(`(?:^|\\s)(?:${names})="([^"]*)"`, 'g'))].map(
    ([, value = '']) => value.replaceAll('&amp;', '&'),
  );
}

/**
 * The addresses on the site whose file does not exist, or whose anchor is in no tag of its page, with the page that has them. `base`
 * is the path at which the site is served, and `exists` answers for files below it.
 */
export function brokenAddresses(
  pages: ReadonlyMap<string, SitePage>,
  base: string,
  exists: (path: string) => boolean,
): string[] {
  const leads = (from: string, address: string): boolean => {
    const [name = '', anchor] = address.split('#', 2);
    const path = pathOf(from, name, base);
    if (path === null) return false;
    if (anchor === undefined) return exists(path);
    return pages.get(path)?.ids.includes(decodeURIComponent(anchor)) === true;
  };
  return [...pages].flatMap(([from, { addresses }]) =>
    addresses
      .filter((address) => !/^[a-z]+:/.test(address) && !leads(from, address))
      .map((address) => `${from}: ${address}`),
  );
}

/** The file of an address, relative to the root of the site. Null if it is outside of the site. */
function pathOf(from: string, name: string, base: string): string | null {
  if (name === '') return from;
  if (name.startsWith('/') && !name.startsWith(base)) return null;
  const path = name.startsWith('/')
    ? name.slice(base.length)
    : posix.join(posix.dirname(from), name);
  return posix.normalize(path === '' || path.endsWith('/') ? `${path}index.html` : path);
}
