// Every file and every code block of configuration in the guide is run by a test.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../scripts/workspaces.ts';
import { codeBlocks } from './code-blocks.ts';

/** The files in docs/operations, each with the test that runs it. */
const FILES: Readonly<Record<string, string>> = {
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

/** The code blocks in docs, by page and language, each with the test that runs it. */
const BLOCKS: Readonly<Record<string, string>> = {
  'ci.md yaml': 'e2e/cli/ci-recipes.test.ts',
  'operations.md caddyfile': 'e2e/cluster/caddy.test.ts',
  'store.md nginx': 'e2e/cluster/snippets.test.ts',
  'viewer.md nginx': 'e2e/cluster/snippets.test.ts',
};

/** The text of the test, and of the files of its folder that it imports. */
function textOf(path: string): string {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const imported = [...text.matchAll(/from '(\.\/[\w-]+\.ts)'/g)].map(([, file = '']) =>
    readFileSync(join(ROOT, path, '..', file), 'utf8'),
  );
  return [text, ...imported].join('\n');
}

test('each file of configuration has a test that runs it', () => {
  const cwd = join(ROOT, 'docs/operations');
  const found = globSync('**/*', { cwd, withFileTypes: true }).filter((one) => one.isFile());
  const paths = found.map((one) => join(one.parentPath, one.name).slice(cwd.length + 1));
  assert.deepEqual(paths.toSorted(), Object.keys(FILES).toSorted());
  for (const [path, tested] of Object.entries(FILES)) {
    // A folder may be named instead of each of its files.
    const names = path.split('/').slice(0, 1);
    assert.ok(
      names.some((name) => textOf(tested).includes(name)),
      `${tested} runs ${path}`,
    );
  }
});

test('each code block of configuration has a test that runs it', () => {
  const cwd = join(ROOT, 'docs');
  const found = globSync('**/*.md', { cwd }).flatMap((page) =>
    codeBlocks(readFileSync(join(cwd, page), 'utf8'))
      .filter(({ language }) => !OTHER_LANGUAGES.includes(language))
      .map(({ language }) => `${page} ${language}`),
  );
  assert.deepEqual([...new Set(found)].toSorted(), Object.keys(BLOCKS).toSorted());
  for (const [block, tested] of Object.entries(BLOCKS)) {
    const [page = ''] = block.split(' ');
    assert.ok(textOf(tested).includes(page), `${tested} runs ${block}`);
  }
});
