// A small store: a developer with four published games, one of them with the longest allowed words, and a deleted game.
import { publishBuild } from '@svc/platform/testing';
import type { Page } from 'playwright-core';
import type { PlatformClient } from '../../packages/contracts/src/platform.ts';
import type { Store } from './open-store.ts';

const BUILD = { 'index.html': '<!doctype html><title>game</title><p id="out">it plays</p>' };
/** A title of the maximum length without a space. */
const LONG_TITLE = 'Donau'.repeat(16);
/** The same for a deleted game. */
const DELETED_TITLE = 'Elbe'.repeat(20);
const DESCRIPTION = '# Hi\n\n- one\n\n`code`\n\n| a | b |\n|---|:-:|\n| c | d |';

/** Publishes them as Ada. Returns the paths of all public pages. */
export async function publishGames(store: Store): Promise<string[]> {
  const { client, uid } = await store.site.developer('Ada');
  for (const title of ['Moonhop', 'Tidewalker', 'Snowline', LONG_TITLE]) {
    const isLong = title === LONG_TITLE;
    const { game } = await client.call('createProject', {
      body: {
        title,
        slug: isLong ? 'long' : title.toLowerCase(),
        tagline: isLong ? 'w'.repeat(140) : 'A small game',
        tags: ['space', 'x'.repeat(24)],
      },
    });
    const form = new FormData();
    form.set('metadata', JSON.stringify({ description: DESCRIPTION, category: 'arcade' }));
    await client.call('updateStore', { params: { id: game.id }, form });
    await publishBuild(client, game.id, '1.0.0', BUILD, 'The first');
  }
  const { game: deleted } = await client.call('createProject', { body: { title: DELETED_TITLE } });
  await client.call('deleteProject', { params: { id: deleted.id } });
  return [
    ...['/', '/games/moonhop', '/games/moonhop/releases', '/games/long', `/devs/${uid}`],
    ...['/games/moonhop/report', '/games/long/report', '/games/long/report?done=1'],
    ...['/search?q=moon', '/search', '/tags/space', '/categories/arcade', '/nowhere'],
    // The choice of an identity provider.
    '/sign-in?provider=unknown',
  ];
}

/** Signs in as the owner of the games. Returns the paths of the dashboard. */
export async function signInAsOwner(store: Store, page: Page): Promise<string[]> {
  await page.goto(`${store.site.origin}/sign-in?return_to=/dashboard`);
  await page.getByLabel('Your name').fill('Ada');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Your games' }).waitFor();
  const project = await page.getByRole('link', { name: LONG_TITLE }).getAttribute('href');
  const removal = await page.getByRole('link', { name: DELETED_TITLE }).getAttribute('href');
  return [
    ...['/dashboard', '/dashboard/new', '/dashboard/tokens', '/dashboard/profile'],
    ...['/dashboard/notices', '/dashboard/profile/delete'],
    ...['/signed-out-everywhere', '/account-deleted', `${removal}`],
    ...['', '/page', '/preview'].map((rest) => `${project}${rest}`),
  ];
}

/**
 * Makes Ada an administrator, who has resolved a report of a game, suspended a user, and taken a game and a release down. Returns the paths
 * of her pages.
 */
export async function administer(store: Store): Promise<string[]> {
  const { site } = store;
  const { client, uid } = await site.developer('Ada');
  await site.makeAdmin(uid);
  const other = await site.developer('w'.repeat(80));
  await other.client.call('createToken', { body: { name: 'w'.repeat(80) } });
  const reason = `${'w'.repeat(200)} and some words`;
  await client.call('suspendUser', { params: other, body: { reason } });
  const reports = await reportLong(client, reason);
  const { games } = await client.call('projects', {});
  const { games: deleted } = await client.call('deletedGames', {});
  const [long, snowline] = games.map(({ id }) => id);
  if (long === undefined || snowline === undefined) throw new Error('there are no games');
  await client.call('takeDown', { params: { id: long }, body: { version: '1.0.0', reason } });
  await client.call('takeDown', { params: { id: snowline }, body: { reason } });
  return [
    ...['users', `users/${uid}`, `users/${other.uid}`, 'games', `games/${long}`].map(
      (path) => `/dashboard/admin/${path}`,
    ),
    ...[snowline, ...deleted.map(({ id }) => id)].map((id) => `/dashboard/admin/games/${id}`),
    '/dashboard/admin/audit',
    ...[`/dashboard/games/${long}`, `/dashboard/games/${snowline}`],
    ...['', '?state=all', '?reason=illegal', ...reports.map((id) => `/${id}`)].map(
      (rest) => `/dashboard/admin/reports${rest}`,
    ),
    ...['/dashboard/notices', '/dashboard/profile/delete'],
    ...['/signed-out-everywhere', '/account-deleted'],
  ];
}

/** Reports the game with the long title three times, and resolves one report. Returns the ids of that report and of another. */
async function reportLong(client: PlatformClient, text: string): Promise<string[]> {
  const params = { slug: 'long' };
  for (const reason of ['misleading', 'broken', 'other'] as const) {
    await client.call('reportGame', { params, body: { reason, text } });
  }
  const { reports } = await client.call('adminReports', { query: {} });
  const ids = reports.slice(0, 2).map(({ id }) => id);
  const [report = ''] = ids;
  const body = { outcome: 'dismissed', note: text } as const;
  await client.call('resolveReport', { params: { report }, body });
  return ids;
}
