// The site has everything: each document, each command, and each operation of both APIs.
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { isGroup } from '../packages/cli/src/command-line/define-command.ts';
import { loadAllCommands } from '../packages/cli/src/commands.ts';
import { ROOT } from '../scripts/workspaces.ts';
import { makePages } from './make-pages.ts';
import { parseMarkdown } from './markdown/parse-markdown.ts';
import type { Api } from './reference/api-page.ts';
import { readAgentApi, readPlatformApi } from './reference/apis.ts';
import { sidebarsOf, withoutFrontMatter } from './sidebar.ts';

const { pages, images, downloads } = await makePages();

function headingsBelow(folder: string): string[] {
  return [...pages]
    .filter(([path]) => path.startsWith(folder))
    .flatMap(([, text]) => parseMarkdown(withoutFrontMatter(text)).headings.map((one) => one.text));
}

/** The links of each sidebar. */
const sidebars = Object.values(sidebarsOf(pages)).map((sections) =>
  sections.flatMap(({ items = [] }) => items.map(({ link = '' }) => link)),
);

test('each document below docs is a page and is in the sidebar', () => {
  const wanted = globSync('docs/**/*.md', { cwd: ROOT });
  assert.ok(wanted.length > 30);
  for (const path of wanted) {
    assert.ok(pages.has(path), path);
    assert.ok(sidebars.flat().includes(`/${path.replace(/\.md$/, '')}`), path);
  }
});

test('no page is in a sidebar twice', () => {
  for (const links of sidebars) {
    assert.deepEqual(
      links.filter((link, index) => links.indexOf(link) !== index),
      [],
    );
  }
});

test('each command has a section with all of its options and arguments', async () => {
  for (const spec of await loadAllCommands()) {
    const text = pages.get(`reference/commands/${spec.name}.md`) ?? '';
    const commands = isGroup(spec) ? spec.commands : [spec];
    for (const one of commands) {
      const words = ['svc', ...(isGroup(spec) ? [spec.name] : []), one.name].join(' ');
      const level = isGroup(spec) ? '## ' : '# ';
      const [, section = ''] = text.split(`${level}${words}\n`);
      const own = section.split(new RegExp(`^${level}svc `, 'm'))[0] ?? '';
      assert.notEqual(own, '', words);
      const named = [
        ...(one.options ?? []).map(({ flags }) => flags),
        ...(one.arguments ?? []).map(({ name }) => name),
      ];
      for (const name of named) {
        assert.ok(own.includes(`| \`${name.replaceAll('|', '\\|')}\` |`), `${words} ${name}`);
      }
    }
  }
});

async function missingOperations(api: Api, folder: string): Promise<string[]> {
  const headings = headingsBelow(folder);
  return Object.entries(api.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      // A HEAD that equals GET has a sentence there.
      .filter(([method, one]) => method !== 'head' || !isDeepStrictEqual(one, operations['get']))
      .map(([method]) => `${method.toUpperCase()} ${path}`)
      .filter((title) => headings.filter((one) => one === title).length !== 1),
  );
}

test('each operation of the dashboard has one section', async () => {
  assert.deepEqual(await missingOperations(readAgentApi(), 'reference/agent-api/'), []);
});

test('each operation of the platform has one section', async () => {
  assert.deepEqual(await missingOperations(await readPlatformApi(), 'reference/platform-api/'), []);
});

test('no page names the address at which the documents were read', () => {
  for (const [path, text] of pages) {
    if (path.startsWith('reference/')) assert.doesNotMatch(text, /127\.0\.0\.1:\d{4,5}/, path);
  }
});

test('the home page and the tour are the text of README.md', () => {
  const home = pages.get('index.md') ?? '';
  const tour = pages.get('tour.md') ?? '';
  assert.match(home, /^# svc\n\nTwo tools for game developers/m);
  assert.match(home, /^## Start$/m);
  assert.match(home, /^## Contributing$/m);
  assert.doesNotMatch(home, /<picture>|^\| to \| run/m);
  assert.match(home, /class="only-light" src="\.\/docs\/images\/overview\.webp"/);
  assert.match(home, /class="only-dark" src="\.\/docs\/images\/overview-dark\.webp"/);
  assert.match(tour, /^# The tour\n\n\| to \| run \| read \|\n/);
  assert.doesNotMatch(tour, /^## /m);
});

test('a source is shown, and a file for programs can be downloaded', () => {
  assert.match(
    pages.get('scripts/check-prose.ts.md') ?? '',
    /^# `scripts\/check-prose\.ts`\n\n```+ts\n\/\/ Finds words/m,
  );
  assert.equal(downloads.get('docs/contracts/platform.json'), 'docs/contracts/platform.json');
  assert.match(
    pages.get('docs/contracts/platform.json.md') ?? '',
    /href="\.\/platform\.json" download/,
  );
  assert.equal(downloads.get('ci/run'), '.ci/run');
  assert.ok(![...downloads.keys(), ...images].some((path) => path.endsWith('.ts')));
});
