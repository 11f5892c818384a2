// Covers in lists of games use the smaller variants of an image.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { publishBuild } from '@svc/platform/testing';
import { openSite } from './open-site.ts';

const COVER = join(import.meta.dirname, '../../../examples/moonhop/store/cover.webp');

test('lists show covers in fitting sizes, and a drawn cover for a game without one', async () => {
  await using site = await openSite();
  const { client, uid } = await site.developer('Ada');
  for (const title of ['Pictured', 'Plain', 'Newest']) {
    const { game } = await client.call('createProject', { body: { title, tags: ['shown'] } });
    if (title !== 'Plain') {
      const form = new FormData();
      form.set('metadata', '{"category":"arcade"}');
      form.set('cover', new Blob([readFileSync(COVER)]), 'cover.webp');
      await client.call('updateStore', { params: { id: game.id }, form });
    }
    await publishBuild(client, game.id, '1', { 'index.html': 'x' });
  }
  const paths = ['/', '/tags/shown', '/categories/arcade', '/search?q=pictured', `/devs/${uid}`];
  for (const path of paths) {
    const page = await (await fetch(site.origin + path)).text();
    const pictures = page.match(/<picture class="cover">.*?<\/picture>/gs) ?? [];
    assert.ok(pictures.length > 0, path);
    const shared = /<meta property="og:image" content="([^"]*)">/.exec(page)?.[1] ?? '';
    if (!path.startsWith('/search')) assert.match(shared, /-1120\.webp$/, path);
    for (const picture of pictures) {
      assert.match(
        picture,
        /<source type="image\/avif" srcset="[^"]+-480\.avif 480w, [^"]+-960\.avif 960w/,
      );
      assert.match(picture, /<source type="image\/webp" srcset="[^"]+-480\.webp 480w, [^"]+ 960w/);
      assert.match(picture, /sizes="[^"]+"/);
      assert.match(picture, /<img [^>]*alt="" width="640" height="400"/);
    }
    const small = /srcset="([^ "]+-480\.avif)/.exec(page)?.[1] ?? '';
    const answer = await fetch(small);
    assert.equal(answer.headers.get('content-type'), 'image/avif');
    assert.ok((await answer.arrayBuffer()).byteLength < readFileSync(COVER).length);
  }
  const list = await (await fetch(`${site.origin}/tags/shown`)).text();
  assert.equal(list.match(/<svg class="cover"/g)?.length, 1, 'one game has no cover');
});
