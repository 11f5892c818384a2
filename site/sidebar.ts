// The sidebars of the site, made from the order of the pages and their titles.
import { parseMarkdown } from './markdown/parse-markdown.ts';
import { FOLDERS, SECTIONS } from './navigation.ts';

/** An entry as VitePress reads it. */
export type SidebarItem = {
  readonly text: string;
  readonly link?: string;
  readonly items?: readonly SidebarItem[];
};

/** Returns the sidebars by the starts of the addresses at which they are shown. Throws if one names a page that does not exist. */
export function sidebarsOf(
  pages: ReadonlyMap<string, string>,
): Readonly<Record<string, readonly SidebarItem[]>> {
  const everywhere = SECTIONS.map(({ title, pages: paths }) => ({
    text: title,
    items: paths.map((path) => itemOf(path, pages)),
  }));
  const named = new Set(SECTIONS.flatMap((section) => section.pages));
  const folders = FOLDERS.map(({ title, folder, ending }) => {
    const paths = [...pages.keys()].filter(
      (path) => path.startsWith(folder) && path.endsWith(ending) && !named.has(path),
    );
    const section = { text: title, items: paths.map((path) => itemOf(path, pages)) };
    return [`/${folder}`, [section, ...everywhere]] as const;
  });
  return { ...Object.fromEntries(folders), '/': everywhere };
}

function itemOf(path: string, pages: ReadonlyMap<string, string>): SidebarItem {
  const text = pages.get(path);
  if (text === undefined) throw new Error(`site/navigation.ts names ${path}, which is no page`);
  return { text: titleOf(path, text), link: `/${path.replace(/(?:index)?\.md$/, '')}` };
}

/** The first heading of a page. */
function titleOf(path: string, text: string): string {
  const title = parseMarkdown(withoutFrontMatter(text)).headings[0]?.text;
  if (title === undefined) throw new Error(`${path} has no heading`);
  return title;
}

/** A page without the settings at its start. */
export function withoutFrontMatter(text: string): string {
  return text.replace(/^---\n.*?\n---\n/s, '');
}
