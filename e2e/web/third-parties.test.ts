// Only the store learns of a visit: a browser opens all pages and sends no request to another host.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { publishBuild } from '@svc/platform/testing';
import type { Page } from 'playwright-core';
import { image } from './media-editor.ts';
import { noBrowser, openStore, type Store } from './open-store.ts';

const MOST_PAGES = 80;

/** A foreign host that records its requests. */
async function openThirdParty() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(200, {
      'content-type': 'image/svg+xml',
      'access-control-allow-origin': '*',
    });
    response.end('<svg xmlns="http://www.w3.org/2000/svg"/>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return {
    asked,
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Text that tries to load a resource from the host. */
function hostileWords(host: string): string {
  return [
    `![picture](${host}/markdown.svg)`,
    `<img src="${host}/html.svg"><link rel="stylesheet" href="${host}/style.css">`,
    `<iframe src="${host}/frame"></iframe><style>@import url(${host}/import.css)</style>`,
    `[![linked](${host}/linked.svg)](${host}/page)`,
    `[reference]: ${host}/reference.svg`,
    `![reference]`,
    `<video poster="${host}/poster.svg" src="${host}/film.mp4"></video>`,
    `[a link](${host}/link) and ${host}/bare`,
  ].join('\n\n');
}

/** Creates a published game and a draft with all media, and a user with an avatar: all content that pages can show. */
async function fillStore(store: Store, host: string): Promise<Page> {
  const { page, client } = await store.owner('Ada');
  for (const title of ['Published', 'Draft']) {
    const { game } = await client.call('createProject', {
      body: {
        title,
        slug: title.toLowerCase(),
        tagline: `![x](${host}/tagline.svg)`,
        tags: ['tag'],
      },
    });
    const form = new FormData();
    form.set('metadata', JSON.stringify({ description: hostileWords(host), category: 'arcade' }));
    for (const name of ['banner', 'cover', 'screenshots']) {
      const { buffer } = await image(`${name}.png`, '#446688');
      form.append(name, new Blob([new Uint8Array(buffer)]), `${name}.png`);
    }
    await client.call('updateStore', { params: { id: game.id }, form });
    if (title === 'Published') {
      const build = { 'index.html': '<!doctype html><title>g</title><p>it plays</p>' };
      await publishBuild(client, game.id, '1', build, hostileWords(host));
    }
  }
  const { buffer } = await image('me.png', '#aa8844');
  const form = new FormData();
  form.set('avatar', new Blob([new Uint8Array(buffer)]), 'me.png');
  await client.call('uploadAvatar', { form });
  return page;
}

/** The allowed sources in a policy, except the site's origins. */
const WORDS = new Set(["'none'", "'self'", "'strict-dynamic'", 'blob:']);

function checkPolicy(path: string, policy: string, ours: ReadonlySet<string>): void {
  const rules = new Map(
    policy.split('; ').map((rule) => {
      const [name = '', ...sources] = rule.split(' ');
      return [name, sources] as const;
    }),
  );
  assert.deepEqual(rules.get('default-src'), ["'none'"], path);
  for (const [name, sources] of rules) {
    for (const source of sources) {
      const holds = WORDS.has(source) || /^'nonce-[\w+/=]+'$/.test(source) || ours.has(source);
      assert.ok(holds, `${path}: ${name} allows ${source}`);
    }
  }
}

/** The paths of the pages of this site to which the page links, except the sign-in. */
async function linksOf(page: Page, origin: string): Promise<string[]> {
  const links = await page
    .locator('a[href]')
    .evaluateAll((all) => all.map((one) => (one instanceof HTMLAnchorElement ? one.href : '')));
  return links
    .filter((link) => link.startsWith(`${origin}/`))
    .map((link) => link.slice(origin.length).replace(/#.*$/, ''))
    .filter((path) => !/\.xml$|^\/sign-in|\/profile\/export/.test(path));
}

test('no page of the store or the dashboard sends a request to another host, and no policy allows one', {
  skip: noBrowser,
}, async () => {
  await using third = await openThirdParty();
  await using store = await openStore();
  const { origin, platform } = store.site;
  const page = await fillStore(store, third.origin);
  const ours = new Set([origin, platform.baseUrl]);
  const visitors: string[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol !== 'blob:' && !ours.has(url.origin)) visitors.push(request.url());
  });
  const seen = new Set<string>();
  const next = ['/', '/nowhere', '/games/published?play=1', '/search?q=published'];
  for (let path = next.shift(); path !== undefined; path = next.shift()) {
    if (seen.has(path)) continue;
    seen.add(path);
    assert.ok(seen.size <= MOST_PAGES, 'too many pages to open in a test');
    const answer = await page.goto(origin + path, { waitUntil: 'load' });
    // The policy blocks requests before they are sent, so the policy is checked too.
    checkPolicy(path, answer?.headers()['content-security-policy'] ?? '', ours);
    next.push(...(await linksOf(page, origin)));
    assert.deepEqual(visitors.splice(0), [], path);
  }
  for (const part of ['/', '/games/published', '/dashboard/profile/delete', '/dashboard/tokens']) {
    assert.ok(seen.has(part), `${part} was not opened`);
  }
  for (const part of ['/devs/', '/tags/', '/categories/', '/dashboard/games/']) {
    assert.ok(
      [...seen].some((path) => path.startsWith(part)),
      `nothing under ${part} was opened`,
    );
  }
  assert.ok(
    [...seen].some((path) => path.endsWith('/page')),
    'no editor was opened',
  );
  assert.deepEqual(third.asked, []);
  assert.deepEqual(
    store.faults.filter((fault) => !/status of 404/.test(fault)),
    [],
    'the pages ask for nothing that their policies stop',
  );
});
