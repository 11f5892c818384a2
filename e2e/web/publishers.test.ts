// Trusted publishers in a browser: added and removed on the page of a game; a release of a CI run shows where it was built.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type OutsideProvider, publishBuild, startOutsideProvider } from '@svc/platform/testing';
import type { Page } from 'playwright-core';
import {
  createPlatformClient,
  type Game,
  ID_TOKEN_TYPE,
  type PlatformClient,
  TOKEN_EXCHANGE,
} from '../../packages/contracts/src/platform.ts';
import { findNothing, fits } from './check-page.ts';
import { noBrowser, openStore, type Store } from './open-store.ts';

const BUILD = { 'index.html': '<!doctype html><title>game</title>' };
/** The longest texts that a form and an identity may have. */
const LONG_REPOSITORY = `${'o'.repeat(100)}/${'r'.repeat(100)}`;
const LONG_BRANCH = 'b'.repeat(200);
const WIDTHS = [2560, 1440, 1280, 1000, 768, 390, 360];

let store: Store;
let ci: OutsideProvider;
let page: Page;
let client: PlatformClient;

before(async () => {
  if (noBrowser !== false) return;
  store = await openStore();
  ci = await startOutsideProvider();
  ({ page, client } = await store.owner('Ada'));
});
after(async () => {
  await ci?.[Symbol.asyncDispose]();
  await store?.[Symbol.asyncDispose]();
});

const button = (name: string | RegExp) => page.getByRole('button', { name });
const box = (name: string) => page.getByRole('textbox', { name });
const item = (name: string) => page.getByRole('listitem').filter({ hasText: name });

async function openGame(title: string): Promise<Game> {
  const { game } = await client.call('createProject', { body: { title } });
  await page.goto(`${store.site.origin}/dashboard/games/${game.id}`);
  return game;
}

/** Publishes a version as a run of the repository does. */
async function publishAsRun(
  game: Game,
  version: string,
  { repository, branch }: { repository: string; branch: string },
): Promise<void> {
  const { baseUrl } = store.site.platform;
  const ref = `refs/heads/${branch}`;
  const idToken = await ci.sign({
    ...{ aud: baseUrl, sub: 'repo', jti: version, repository, repository_id: '1234', ref },
    ...{ repository_visibility: 'public', sha: `abc1234${'0'.repeat(33)}`, run_id: 77 },
    workflow_ref: `${repository}/.github/workflows/release.yml@${ref}`,
  });
  const clientWith = (credential: string | null) =>
    createPlatformClient({ baseUrl, send: fetch, credential: () => credential });
  const { access_token } = await clientWith(null).call('exchangeToken', {
    body: {
      grant_type: TOKEN_EXCHANGE,
      subject_token: idToken,
      subject_token_type: ID_TOKEN_TYPE,
      audience: game.id,
    },
  });
  await publishBuild(clientWith(access_token), game.id, version, BUILD);
}

test('a publisher is added, publishes, shows where the release was built, and is removed', {
  skip: noBrowser,
}, async () => {
  const game = await openGame('Moonhop');
  await page.getByText('None yet. Add the repository that builds the game').waitFor();
  await page.getByText('Add a publisher').focus();
  await page.keyboard.press('Enter');
  await box('Repository').fill('acme/moonhop');
  await box('Branch').fill('main');
  await box('Issuer').fill(ci.issuer);
  await findNothing(page, 'the form');
  await box('Issuer').press('Enter');
  const { baseUrl } = store.site.platform;
  const job = page.locator('[data-job]');
  await job.getByText(`SVC_API: "${baseUrl}"`).waitFor();
  assert.match((await job.textContent()) ?? '', /id-token: write/);
  await findNothing(page, 'after the addition');
  assert.equal(page.url(), `${store.site.origin}/dashboard/games/${game.id}`);
  const publisher = item('acme/moonhop');
  await publisher.getByText('branch main', { exact: true }).waitFor();
  await publisher.getByText('never used').waitFor();

  await publishAsRun(game, '1.0.0', { repository: 'acme/moonhop', branch: 'main' });
  await page.reload();
  await publisher.getByText('Repository id 1234').waitFor();
  await publisher.getByText('last used').waitFor();
  const home = `${ci.issuer}/acme/moonhop`;
  const checkProvenance = async (): Promise<void> => {
    const commit = page.getByRole('link', { name: 'acme/moonhop@abc1234' });
    assert.equal(
      await commit.getAttribute('href'),
      `${home}/commit/abc1234${'0'.repeat(33)}`,
      page.url(),
    );
    const run = page.getByRole('link', { name: 'run that published 1.0.0' });
    assert.equal(await run.getAttribute('href'), `${home}/actions/runs/77`, page.url());
  };
  await checkProvenance();
  await findNothing(page, 'a release of a run');
  for (const path of [`/games/${game.slug}`, `/games/${game.slug}/releases`]) {
    await page.goto(store.site.origin + path);
    await checkProvenance();
    await findNothing(page, path);
  }

  await page.goto(`${store.site.origin}/dashboard/games/${game.id}`);
  const other = await page.context().newPage();
  await other.goto(page.url());
  await publisher.getByText('Remove …').click();
  await findNothing(page, 'a removal');
  await button('Remove acme/moonhop, branch main').click();
  await page.getByText('The publisher has been removed.').waitFor();
  await page.getByText('None yet.').waitFor();
  await assert.rejects(
    publishAsRun(game, '1.1.0', { repository: 'acme/moonhop', branch: 'main' }),
    /no trusted publisher/,
  );
  // The same again, in a tab that still shows it.
  await other.getByText('Remove …').click();
  await other.getByRole('button', { name: 'Remove acme/moonhop, branch main' }).click();
  await other.getByText('The publisher has been removed.').waitFor();
  await other.close();
  assert.deepEqual(store.faults, []);
});

test('the form shows the fields of the chosen provider, and a hidden one if it is wrong', {
  skip: noBrowser,
}, async () => {
  await openGame('Fields');
  const shown = () =>
    page
      .locator('.publisher-form .field')
      .filter({ visible: true })
      .locator('input, select')
      .evaluateAll((fields) => fields.map(({ id }) => id));
  const own = ['issuer', 'subject', 'audience'];
  await page.getByText('Add a publisher').click();
  const all = ['provider', 'repository', 'branch', 'environment', 'workflow', ...own];
  assert.deepEqual(await shown(), all);
  await box('Workflow').fill('release.yml');
  await page.getByLabel('Provider').selectOption('other');
  assert.deepEqual(await shown(), ['provider', ...own]);
  await page.getByLabel('Provider').selectOption('gitlab');
  assert.deepEqual(
    await shown(),
    all.filter((name) => name !== 'workflow'),
  );
  await box('Repository').fill('acme/moonhop');
  await button('Trust these runs').click();
  await page.locator('#workflow-fault').getByText('has no workflows').waitFor();
  assert.deepEqual(await shown(), all);
  assert.equal(await page.getByLabel('Provider').inputValue(), 'gitlab');
  assert.equal(await box('Repository').inputValue(), 'acme/moonhop');
  await findNothing(page, 'a rejected form');
  await box('Workflow').fill('');
  await button('Trust these runs').click();
  await page.locator('[data-job]').getByText('SVC_ID_TOKEN').waitFor();
  await item('acme/moonhop').getByText('GitLab CI').waitFor();
  assert.match(store.faults.pop() ?? '', /status of 400/);
});

test('without JavaScript a publisher is added and removed', { skip: noBrowser }, async () => {
  await openGame('Plain');
  const plain = await store.withoutScripts(page);
  await plain.getByText('Add a publisher').click();
  await plain.getByLabel('Provider').selectOption('other');
  await plain.getByRole('textbox', { name: 'Issuer' }).fill(ci.issuer);
  await plain.getByRole('textbox', { name: 'Subject' }).fill('job:moonhop:**');
  await plain.getByRole('button', { name: 'Trust these runs' }).click();
  await plain.locator('[data-job]').getByText('SVC_ID_TOKEN=').waitFor();
  await plain.getByText('Remove …').click();
  await plain.getByRole('button', { name: 'Remove job:moonhop:**' }).click();
  await plain.getByText('The publisher has been removed.').waitFor();
  await plain.context().close();
});

test('long names fit a phone and a wide screen', { skip: noBrowser }, async () => {
  const game = await openGame('Long');
  const params = { id: game.id };
  const names = { repository: LONG_REPOSITORY, branch: LONG_BRANCH };
  await client.call('createPublisher', {
    params,
    body: { provider: 'github', issuer: ci.issuer, ...names, environment: 'e'.repeat(200) },
  });
  await client.call('createPublisher', {
    params,
    body: { provider: 'other', issuer: ci.issuer, subject: 's'.repeat(255) },
  });
  await client.call('createPublisher', {
    params,
    body: { provider: 'github', issuer: ci.issuer, ...names },
  });
  await publishAsRun(game, 'long-1', names);
  await publishBuild(client, game.id, '2.0.0', BUILD);
  const { publishers } = await client.call('publishers', { params });
  await page.goto(
    `${store.site.origin}/dashboard/games/${game.id}?done=trusted&publisher=${publishers[0]?.id}`,
  );
  await page.locator('[data-job]').waitFor();
  await page.getByText('Add a publisher').click();
  await page.getByText('Remove …').first().click();
  for (const width of WIDTHS) await fits(page, width, 'in the dashboard');
  await page.goto(`${store.site.origin}/games/${game.slug}`);
  for (const width of WIDTHS) await fits(page, width, 'on the page of the game');
});
