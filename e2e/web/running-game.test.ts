// A player in the middle of a game keeps the files of the release they started, and their saves; the next player gets the next one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publishBuild } from '@svc/platform/testing';
import { noBrowser, openStore } from './open-store.ts';

/** A game that loads its second level when its button is pressed, and saves the highest level. */
const pageOf = (version: string): string => `<!doctype html><title>${version}</title>
<button>Next level</button><output></output><script>
  document.querySelector('button').onclick = async () => {
    const level = await (await fetch('levels/${version}-2.json')).json();
    const { boss } = await import('./boss.js');
    localStorage.setItem('level', '2');
    document.querySelector('output').textContent = level.name + ' ' + boss;
  };
</script><p>Saved: <b></b></p><script>document.querySelector('b').textContent = localStorage.getItem('level') ?? 'none'</script>`;

const filesOf = (version: string) => ({
  'index.html': pageOf(version),
  'boss.js': `export const boss = 'boss of ${version}';`,
  [`levels/${version}-2.json`]: JSON.stringify({ name: `level of ${version}` }),
});

test('a running game keeps its files when its release is replaced, and saves stay with the next one', {
  skip: noBrowser,
}, async () => {
  await using store = await openStore();
  const { client } = await store.site.developer('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Running' } });
  await publishBuild(client, game.id, 'one', filesOf('one'));
  const address = `${store.site.origin}/games/${game.slug}?play=1`;
  const page = await store.visitor();
  await page.goto(address);
  const frame = page.frameLocator('iframe');
  await frame.getByText('Saved: none').waitFor();
  // Neither the level nor the script of the first release is in the second one under the same name and content.
  await publishBuild(client, game.id, 'two', filesOf('two'));
  await frame.getByRole('button', { name: 'Next level' }).click();
  await frame.getByText('level of one boss of one').waitFor();
  await page.goto(address);
  await frame.getByText('Saved: 2').waitFor();
  await frame.getByRole('button', { name: 'Next level' }).click();
  await frame.getByText('level of two boss of two').waitFor();
  // A release that was taken back is not played any more.
  await client.call('rollback', { params: { id: game.id }, body: { version: 'one' } });
  await publishBuild(client, game.id, 'three', filesOf('three'));
  await client.call('rollback', { params: { id: game.id }, body: { version: 'one' } });
  const taken = await page.locator('iframe').getAttribute('src');
  const answer = await page.request.get(taken ?? '');
  assert.equal(answer.status(), 404);
  assert.deepEqual(store.faults, []);
});
