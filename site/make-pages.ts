// Makes all pages of the site, as Markdown: the documents, the files that they refer to, and the references.
import { readFileSync, statSync } from 'node:fs';
import { extname, join, posix } from 'node:path';
import { isGroup } from '../packages/cli/src/command-line/define-command.ts';
import { loadAllCommands } from '../packages/cli/src/commands.ts';
import { ROOT } from '../scripts/workspaces.ts';
import {
  type Document,
  type Documents,
  entriesOf,
  readDocuments,
  resolveTarget,
} from './documents/read-documents.ts';
import { type Api, apiIndex, apiPage, type Group } from './reference/api-page.ts';
import { AGENT_GROUPS, PLATFORM_GROUPS, readAgentApi, readPlatformApi } from './reference/apis.ts';
import { commandPage, commandsPage } from './reference/command-page.ts';
import { code, codeBlock, paragraphs, table } from './reference/escape.ts';
import type { Schema } from './reference/schema-rows.ts';

export type Site = {
  /** The Markdown of each page, by its path with `.md`. Paths are relative to the root of the site. */
  readonly pages: ReadonlyMap<string, string>;
  /** Images beside the pages. Their paths in the repository and on the site are the same. */
  readonly images: readonly string[];
  /** Files that visitors can download: their paths in the repository, by their paths on the site. */
  readonly downloads: ReadonlyMap<string, string>;
};

const IMAGE = /\.(?:svg|webp|png)$/;
/** Larger files are only offered for download. In bytes. */
const SHOWN_BYTES = 64 * 1024;
const TOUR = '## The tour';

/** Makes the pages. Throws if a document refers to something that does not exist. */
export async function makePages(): Promise<Site> {
  const found = readDocuments();
  const files = [...found.files].filter((path) => !IMAGE.test(path));
  const pages = new Map([
    ...[...found.documents.values()].flatMap((document) => documentPages(document)),
    ...files.map((path) => filePage(path)),
    ...[...found.folders].map((path) => folderPage(path, found)),
    packagesPage(found),
    ...(await commandPages()),
    ...apiPages('agent-api', readAgentApi(), AGENT_GROUPS),
    ...apiPages('platform-api', await readPlatformApi(), PLATFORM_GROUPS),
  ]);
  return {
    pages,
    images: [...found.files].filter((path) => IMAGE.test(path)),
    downloads: new Map(files.filter(isDownload).map((path) => [publicPath(path), path])),
  };
}

type Page = readonly [path: string, text: string];

/** README.md is the home page, without its tour, and the tour. Every other document is one page. */
function documentPages(document: Document): Page[] {
  const text = withPageLinks(document);
  if (document.path !== 'README.md') return [[document.path, text]];
  const [home = '', rest] = text.split(`${TOUR}\n`);
  if (rest === undefined) throw new Error(`README.md has no section "${TOUR}"`);
  const [tour = '', ...after] = rest.split(/^(?=## )/m);
  const parts = [withThemedImages(home).trim(), NEXT, after.join('').trim()];
  return [
    ['index.md', `---\ntitleTemplate: false\n---\n\n${paragraphs(...parts)}\n`],
    ['tour.md', `# The tour\n${tour}`],
  ];
}

const NEXT = `## Read on

- [The tour](tour.md): what svc does, with the command and the guide for each part.
- [Installing svc](docs/install.md), and [all commands](reference/commands/index.md).
- [The dashboard’s API](reference/agent-api/index.md), [the platform’s API](reference/platform-api/index.md) and [the trace format](docs/vpt.md).`;

/** The images of a `<picture>`, one for each theme of the site, which can differ from that of the system. */
function withThemedImages(text: string): string {
  return text.replaceAll(
    /<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="([^"]*)">\s*<img src="([^"]*)"([^>]*)>\s*<\/picture>/g,
    (_, dark: string, light: string, rest: string) =>
      `<img class="only-light" src="./${light}"${rest}>\n<img class="only-dark" src="./${dark}"${rest}>`,
  );
}

/** The text with links to pages in the place of links to files and folders of the repository. */
function withPageLinks({ path, text, parsed }: Document): string {
  const links = new Map(parsed.links.map(({ target }) => [target, pageLink(path, target)]));
  return text.replaceAll(/\]\(([^()\s]+)\)/g, (whole, target: string) => {
    const link = links.get(target);
    return link === undefined ? whole : `](${link})`;
  });
}

function pageLink(from: string, target: string): string {
  const found = resolveTarget(from, target);
  if (found === null || IMAGE.test(found.path)) return target;
  const place = publicPath(found.path);
  const page = {
    document: place,
    file: `${place}.md`,
    folder: `${place}/index.md`,
  };
  const path = found.path === 'README.md' ? 'index.md' : page[found.kind];
  return posix.relative(posix.dirname(from), path) + found.hash;
}

/** The path of a file on the site. VitePress and many servers leave out names that start with a dot. */
function publicPath(path: string): string {
  return path.replaceAll(/(^|\/)\./g, '$1');
}

/** Whether a program of a visitor may need the file. Sources are only shown. */
function isDownload(path: string): boolean {
  return !path.endsWith('.ts');
}

/** A page that shows a file which is not Markdown. The search leaves it out. */
function filePage(path: string): Page {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const { size } = statSync(join(ROOT, path));
  const link = `<a href="./${posix.basename(path)}" download>Download this file</a>, ${size.toLocaleString('en')} bytes.`;
  const shown = isDownload(path) && size > SHOWN_BYTES ? '' : codeBlock(languageOf(path), text);
  return [
    `${publicPath(path)}.md`,
    `${UNSEARCHED}\n${paragraphs(`# ${code(path)}`, isDownload(path) ? link : '', shown)}\n`,
  ];
}

const UNSEARCHED = '---\nsearch: false\noutline: false\n---\n';

const LANGUAGES: Readonly<Record<string, string>> = {
  '.ts': 'ts',
  '.json': 'json',
  '.yml': 'yaml',
  '.conf': 'nginx',
  '.h': 'c',
  '.rs': 'rust',
};

function languageOf(path: string): string {
  return LANGUAGES[extname(path)] ?? 'text';
}

/** A page that lists a folder. */
function folderPage(folder: string, { documents }: Documents): Page {
  const rows = entriesOf(folder).map((path) => {
    const title = documents.get(path)?.parsed.headings[0]?.text;
    const page = title === undefined ? `${posix.basename(path)}.md` : posix.basename(path);
    return [`[${title ?? code(posix.basename(path))}](${page})`];
  });
  const text = paragraphs(`# ${code(`${folder}/`)}`, table(['content'], rows));
  return [`${folder}/index.md`, `${UNSEARCHED}\n${text}\n`];
}

/** A page that lists the READMEs of the packages. */
function packagesPage({ documents }: Documents): Page {
  const rows = [...documents.values()]
    .filter(({ path }) => /^packages\/[^/]+\/README\.md$/.test(path))
    .map(({ path, parsed }) => [
      `[${parsed.headings[0]?.text ?? path}](${posix.relative('packages', path)})`,
    ]);
  return ['packages/index.md', `${paragraphs('# Packages', table(['package'], rows))}\n`];
}

async function commandPages(): Promise<Page[]> {
  const specs = await loadAllCommands();
  return [
    ['reference/commands/index.md', commandsPage(specs, readSchema('error'))],
    ...specs.map((spec): Page => {
      const outline = isGroup(spec) ? '---\noutline: 2\n---\n\n' : '';
      return [`reference/commands/${spec.name}.md`, outline + commandPage(spec, readSchema)];
    }),
  ];
}

function readSchema(document: string): Schema {
  const path = join(ROOT, 'packages/cli/schemas', `${document}.output.json`);
  return JSON.parse(readFileSync(path, 'utf8'));
}

function apiPages(name: string, api: Api, groups: readonly Group[]): Page[] {
  const folder = `reference/${name}`;
  return [
    [`${folder}/index.md`, apiIndex(api, groups, `../../docs/${name}.md`)],
    ...groups.map((group): Page => [`${folder}/${group.name}.md`, apiPage(api, group, groups)]),
  ];
}
