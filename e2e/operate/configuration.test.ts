// Every file and every code block of configuration in the guide is run by a test.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../scripts/workspaces.ts';
import { codeBlocks } from './code-blocks.ts';
import { GUIDE_FILES } from './guide-file.ts';

/** The files in docs/operations, each with the test that gets it by `guideFile` and runs it. */
const FILES: Readonly<Record<string, string>> = {
  'alertmanager.yml': 'e2e/operate/prometheus.test.ts',
  'compose/compose.yaml': 'e2e/operate/compose.test.ts',
  'compose/nginx-main.conf': 'e2e/operate/compose.test.ts',
  'compose/svc-tls.conf': 'e2e/operate/compose.test.ts',
  'image/Containerfile': 'e2e/release/image.test.ts',
  'grafana-dashboard.json': 'e2e/operate/prometheus.test.ts',
  'nginx.conf': 'e2e/cluster/nginx.test.ts',
  'prometheus.yml': 'e2e/operate/prometheus.test.ts',
  'svc-alerts.yml': 'e2e/operate/prometheus.test.ts',
  'systemd/platform.env': 'e2e/operate/systemd.test.ts',
  'systemd/svc-platform-backup.service': 'e2e/operate/systemd.test.ts',
  'systemd/svc-platform-run': 'e2e/operate/platform-run.test.ts',
  'systemd/svc-platform-backup.timer': 'e2e/operate/systemd.test.ts',
  'systemd/svc-platform.service': 'e2e/operate/systemd.test.ts',
  'systemd/svc-platform.service.d/secrets.conf': 'e2e/operate/systemd.test.ts',
  'systemd/svc-web.service': 'e2e/operate/systemd.test.ts',
  'systemd/sysusers.conf': 'e2e/operate/systemd.test.ts',
  'systemd/tmpfiles.conf': 'e2e/operate/systemd.test.ts',
  'systemd/web.env': 'e2e/operate/systemd.test.ts',
};

/** The languages of code blocks that are no configuration of a program. */
const OTHER_LANGUAGES = ['html', 'js', 'json', 'powershell', 'sh', 'text'];

/** The code blocks in docs but the recipes for CI, by page and language, each with the test that gets it by `guideBlock`. */
const BLOCKS: Readonly<Record<string, string>> = {
  'operations.md caddyfile': 'e2e/cluster/caddy.test.ts',
  'store.md nginx': 'e2e/cluster/snippets.test.ts',
  'viewer.md nginx': 'e2e/cluster/snippets.test.ts',
};

/** Modules of the repository that a module imports, or starts as a program beside it. */
const MODULE = /(?:from |import\.meta\.dirname, )'([\w./-]+\.ts)'/g;

/** The texts of a test and of the modules of `e2e` that it uses. */
function textsOf(path: string, found = new Map<string, string>()): ReadonlyMap<string, string> {
  if (found.has(path) || !path.startsWith('e2e/')) return found;
  const text = readFileSync(join(ROOT, path), 'utf8');
  found.set(path, text);
  for (const [, module = ''] of text.matchAll(MODULE)) textsOf(join(path, '..', module), found);
  return found;
}

/** The arguments of the calls of a function in a test and the modules that it uses. */
function callsIn(test: string, name: string): string[] {
  const call = new RegExp(`\\b${name}\\(('[^()]+')\\)`, 'g');
  return [...textsOf(test).values()].flatMap((text) =>
    [...text.matchAll(call)].map(([, words = '']) => words.replaceAll("'", '')),
  );
}

test('each file of configuration has a test that runs it', () => {
  const cwd = GUIDE_FILES;
  const found = globSync('**/*', { cwd, withFileTypes: true }).filter((one) => one.isFile());
  const paths = found.map((one) => join(one.parentPath, one.name).slice(cwd.length + 1));
  assert.deepEqual(paths.toSorted(), Object.keys(FILES).toSorted());
  for (const [path, tested] of Object.entries(FILES)) {
    assert.ok(callsIn(tested, 'guideFile').includes(path), `${tested} gets ${path} by guideFile`);
  }
});

test('each code block of configuration has a test that runs it', () => {
  const cwd = join(ROOT, 'docs');
  const pages = globSync('**/*.md', { cwd }).filter((page) => page !== 'ci.md');
  const found = pages.flatMap((page) =>
    codeBlocks(readFileSync(join(cwd, page), 'utf8'))
      .filter(({ language }) => !OTHER_LANGUAGES.includes(language))
      .map(({ language }) => `${page} ${language}`),
  );
  assert.deepEqual([...new Set(found)].toSorted(), Object.keys(BLOCKS).toSorted());
  for (const [block, tested] of Object.entries(BLOCKS)) {
    const call = block.replace(' ', ', ');
    assert.ok(
      callsIn(tested, 'guideBlock').includes(call),
      `${tested} gets ${block} by guideBlock`,
    );
  }
});

test('each recipe for CI has a test that runs it, and every other block uses an integration', () => {
  const page = readFileSync(join(ROOT, 'docs/ci.md'), 'utf8');
  const named = [...page.matchAll(/^<!-- recipe: ([\w-]+) -->$/gm)].map(([, name = '']) => name);
  assert.deepEqual(callsIn('e2e/cli/ci-recipes.test.ts', 'recipe').toSorted(), named.toSorted());
  const others = page.replaceAll(/^<!-- recipe: .*-->\n```\w+\n[\s\S]*?^```$/gm, '');
  for (const { language, text } of codeBlocks(others)) {
    if (language === 'yaml') assert.match(text, /integrations\/github@TAG|svc\/svc@TAG/);
  }
});
