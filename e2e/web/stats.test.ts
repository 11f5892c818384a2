// A play in a browser is counted, with the view that led to it and the file that the game was missing, and its owner sees it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publishBuild } from '@svc/platform/testing';
import { until } from '../../scripts/until.ts';
import { findNothing, fits } from './check-page.ts';
import { noBrowser, openStore } from './open-store.ts';

test('the owner sees a play, the page view that led to it, and a file that the game was missing', {
  skip: noBrowser,
}, async () => {
  await using store = await openStore();
  const { page, client } = await store.owner('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Counted' } });
  const params = { id: game.id };
  const html = '<!doctype html><title>g</title><p>words</p><img src="img/gone.png" alt="">';
  await publishBuild(client, game.id, '1.0.0', { 'index.html': html });
  const visitor = await store.visitor();
  await visitor.goto(`${store.site.origin}/games/counted`);
  await visitor.getByRole('link', { name: 'Play', exact: true }).click();
  await visitor.frameLocator('iframe').getByText('words').waitFor();
  await visitor.goto(`${store.site.platform.baseUrl}/play/counted/`);
  const today = async () => {
    const { days } = await client.call('projectStats', { params, query: { days: '2' } });
    const sum = (name: 'views' | 'plays' | 'store_plays' | 'missing') =>
      days.reduce((total, day) => total + day[name], 0);
    return [sum('views'), sum('plays'), sum('store_plays'), sum('missing')];
  };
  const counts = await until(today, ([, , , missing]) => missing === 2, 'missing files', 10_000);
  assert.deepEqual(counts, [1, 2, 1, 2]);

  await page.goto(`${store.site.origin}/dashboard/games/${game.id}`);
  const panel = page.getByRole('region', { name: 'Plays', exact: true });
  await panel.getByText('img/gone.png').waitFor();
  const words = (await panel.innerText()).replaceAll(/\s+/g, ' ');
  assert.match(words, /Plays 2 Page views 1 Conversion 100 %/);
  await panel.getByText('By day').click();
  await findNothing(page, 'plays');
  for (const width of [1440, 940, 390]) await fits(page, width, 'plays');
});
