// The rules that the guide's configurations of nginx and of Caddy have in common.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask } from './ask.ts';
import { HOSTS } from './open-cluster.ts';
import { openProxy } from './open-proxy.ts';
import { requestsOf } from './start-back.ts';
import { caddyMissing, startCaddy } from './start-caddy.ts';
import { nginxMissing, startNginx } from './start-nginx.ts';

const PROXIES = [
  { name: 'nginx', start: startNginx, missing: nginxMissing() },
  { name: 'Caddy', start: startCaddy, missing: caddyMissing() },
] as const;

for (const { name, start, missing } of PROXIES) {
  const skip = missing ?? false;

  test(`${name}: a request goes to the other process if the first one does not listen`, {
    skip,
  }, async (t) => {
    const { ports, api, store } = await openProxy(t, start);
    await api[0].close();
    await store[0].close();
    for (const host of [HOSTS.api, HOSTS.web]) {
      for (const init of [{}, { method: 'POST', body: 'x' }]) {
        for (let count = 0; count < 6; count++) {
          assert.equal((await ask(ports.outside, host, '/x', init)).status, 200);
        }
      }
    }
    assert.deepEqual([requestsOf(api[1]).length, requestsOf(store[1]).length], [12, 12]);
  });

  test(`${name}: all requests for a game go to one process, and to the other one if it fails`, {
    skip,
  }, async (t) => {
    const { ports, api } = await openProxy(t, start);
    const processOf = async (host: string): Promise<string> =>
      (await ask(ports.outside, host, '/')).text();
    const hosts = Array.from({ length: 16 }, (_, index) => HOSTS.game(`game-${index}`));
    const first = new Map<string, string>();
    for (const host of hosts) first.set(host, await processOf(host));
    assert.equal(new Set(first.values()).size, 2, 'both processes have games');
    for (const host of hosts) assert.equal(await processOf(host), first.get(host));
    await api[0].close();
    for (const host of hosts) assert.equal(await processOf(host), String(ports.api[1]));
  });

  test(`${name}: an asset that one process of the store lacks comes from the other`, {
    skip,
  }, async (t) => {
    const { ports, store } = await openProxy(t, start);
    store[0].handle = ({ url }, response) =>
      response.writeHead(url === '/readyz' ? 200 : 404).end();
    const get = async (path: string) => (await ask(ports.outside, HOSTS.web, path)).status;
    for (let count = 0; count < 4; count++) assert.equal(await get('/assets/style.css'), 200);
    const pages = [await get('/games/x'), await get('/games/x')];
    assert.deepEqual(pages.toSorted(), [200, 404]);
  });
}
