// A token that is created on the site, used by `svc`, and rejected after it is revoked on the site.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { publishBuild } from '@svc/platform/testing';
import { runSvc, temporaryFolder } from '../../packages/cli/test/svc.ts';
import { noBrowser, openStore } from './open-store.ts';

/** Five programs run one after another beside a browser, possibly on a busy machine. */
const PATIENCE_MS = 300_000;

/** Runs `svc` with the folder as home, which contains the saved token. */
function svcIn(t: TestContext, home: string, api: string) {
  return (args: readonly string[], input?: string) =>
    runSvc(t, args, {
      cwd: home,
      env: { HOME: home, SVC_API: api },
      ...(input === undefined ? {} : { input }),
    });
}

test('a token of the site can be used to log in and publish with `svc`, and is rejected after its revocation', {
  skip: noBrowser,
  timeout: PATIENCE_MS,
}, async (t) => {
  await using store = await openStore();
  const { page } = await store.owner('Ada');
  const home = temporaryFolder(t);
  const svc = svcIn(t, home, store.site.platform.baseUrl);

  await page.goto(`${store.site.origin}/dashboard/tokens`);
  await page.getByLabel('Name').fill('laptop');
  await page.getByRole('button', { name: 'Create token' }).click();
  const secret = (await page.locator('[data-secret]').textContent()) ?? '';
  assert.match(secret, /^svc_[0-9A-Za-z]{42}$/);
  await page
    .getByRole('row', { name: /laptop/ })
    .getByText('publish')
    .waitFor();

  const login = await svc(['login', '--token', '-'], `${secret}\n`);
  assert.equal(login.code, 0, login.stderr);
  mkdirSync(join(home, 'dist'));
  writeFileSync(join(home, 'dist/index.html'), '<!doctype html><title>game</title>');
  const init = await svc(['init', '--yes', '--title', 'By command', '--build', 'dist']);
  assert.equal(init.code, 0, init.stderr);
  const published = await svc(['publish', '--version', '1.0.0', '--json']);
  assert.equal(published.code, 0, published.stderr);
  const { url }: { url: string } = JSON.parse(published.stdout);
  assert.equal(url, `${store.site.origin}/games/by-command`);
  await page.goto(url);
  await page.getByRole('heading', { level: 1, name: 'By command' }).waitFor();

  await page.goto(`${store.site.origin}/dashboard/tokens`);
  assert.equal(await page.getByText(secret).count(), 0);
  await page.getByRole('button', { name: 'Revoke laptop' }).click();
  await page.getByText('The token has been revoked').waitFor();
  const refused = await svc(['whoami', '--json']);
  assert.equal(refused.code, 3, refused.stdout + refused.stderr);
  assert.match(refused.stdout, /token_revoked/);
  assert.deepEqual(store.faults, []);
});

test('every command that the site shows exists in `svc`', {
  skip: noBrowser,
  timeout: PATIENCE_MS,
}, async (t) => {
  await using store = await openStore();
  const { page, client } = await store.owner('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Moonhop' } });
  await publishBuild(client, game.id, '1.0.0', { 'index.html': 'x' });
  await client.call('createToken', { body: { name: 'laptop' } });
  const shown = new Set<string>();
  for (const path of ['/games/moonhop', `/dashboard/games/${game.id}`, '/dashboard/tokens']) {
    await page.goto(store.site.origin + path);
    for (const text of await page.locator('code').allTextContents()) {
      for (const line of text.split('\n')) if (line.startsWith('svc ')) shown.add(line);
    }
  }
  assert.ok(shown.has('svc publish --trace game.vpt') && shown.size >= 5, [...shown].join('; '));
  for (const line of shown) {
    const words = line.split(' ').slice(1);
    const nested = words[0] === 'trace' ? 2 : 1;
    const { code, stdout } = await runSvc(t, [...words.slice(0, nested), '--help']);
    assert.equal(code, 0, line);
    for (const flag of words.filter((word) => word.startsWith('--'))) {
      assert.ok(stdout.includes(flag), `${line}: no ${flag} in its help`);
    }
  }
});
