// The content security policy: pages load from this site and from the media origin only.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings } from '@svc/platform';
import { publishBuild } from '@svc/platform/testing';
import { startWeb } from '../src/index.ts';
import { openSite } from './open-site.ts';

async function policyOf(address: string): Promise<ReadonlyMap<string, string>> {
  const answer = await fetch(address);
  await answer.arrayBuffer();
  const policy = answer.headers.get('content-security-policy') ?? '';
  return new Map(
    policy.split('; ').map((rule) => {
      const [name = '', ...sources] = rule.split(' ');
      return [name, sources.join(' ')] as const;
    }),
  );
}

test('the policy contains the public origin of media, even if the site uses another address of the API', async () => {
  const settings = readSettings({
    SVC_PUBLIC_URL: 'https://api.games.example/v',
    SVC_WEB_ORIGIN: 'https://www.games.example',
  });
  await using site = await openSite({ platform: { settings } });
  const apiUrl = `http://127.0.0.1:${site.platform.port}`;
  await using web = await startWeb({ apiUrl, port: 0 });
  for (const path of ['/', '/search', '/nowhere']) {
    const policy = await policyOf(`${web.origin}${path}`);
    const media = path === '/nowhere' ? '' : ' https://api.games.example';
    assert.equal(policy.get('img-src'), `'self'${media} blob:`, path);
    assert.equal(policy.get('media-src'), `'self'${media}`, path);
    assert.equal(policy.get('connect-src'), "'self'");
    assert.equal(policy.get('default-src'), "'none'");
  }
});

test('a page may frame only its game', async () => {
  await using site = await openSite();
  const { client } = await site.developer('Ada');
  const { game } = await client.call('createProject', {
    body: { title: 'Framed', slug: 'framed' },
  });
  await publishBuild(client, game.id, '1', { 'index.html': 'x' });
  const own = new URL(site.platform.baseUrl).origin;
  assert.equal((await policyOf(`${site.origin}/games/framed`)).get('frame-src'), own);
  assert.equal((await policyOf(`${site.origin}/`)).get('frame-src'), "'none'");
});
