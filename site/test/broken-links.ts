// Finds links between Markdown texts that lead nowhere.
import { posix } from 'node:path';
import { parseMarkdown } from '../markdown/parse-markdown.ts';
import { withoutFrontMatter } from '../sidebar.ts';

/**
 * One sentence for each link whose file does not exist, or whose anchor is no heading. `texts` are the Markdown files by their
 * paths; `exists` answers for all other files. Links to other sites are not checked.
 */
export function brokenLinks(
  texts: ReadonlyMap<string, string>,
  exists: (path: string) => boolean,
): string[] {
  const parsed = new Map(
    [...texts].map(([path, text]) => [path, parseMarkdown(withoutFrontMatter(text))]),
  );
  return [...parsed].flatMap(([from, { links }]) =>
    links.flatMap(({ target, line }) => {
      if (/^[a-z][a-z+.-]*:/i.test(target)) return [];
      const [name = '', anchor] = decodeURI(target).split('#', 2);
      const path = name === '' ? from : posix.join(posix.dirname(from), name).replace(/\/$/, '');
      const page = parsed.get(path);
      if (page === undefined && !exists(path)) return [`${from}:${line}: ${target}: no such file`];
      const found = page?.headings.some((heading) => heading.anchor === anchor) === true;
      return anchor === undefined || found ? [] : [`${from}:${line}: ${target}: no such heading`];
    }),
  );
}
