// The contract and the server have the same routes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUTES } from '@svc/contracts/platform';
import { openPlatform } from './open-platform.ts';

test('every route of the contract has a handler, and no path has a method that the contract lacks', async () => {
  await using platform = await openPlatform();
  const rows = Object.values(ROUTES);
  for (const path of new Set(rows.map((row) => row.path))) {
    const methods: string[] = rows.filter((row) => row.path === path).map((row) => row.method);
    if (methods.includes('GET')) methods.push('HEAD');
    const url = `${platform.baseUrl}${path.replaceAll(/:\w+/g, 'x')}`;
    const { status, headers } = await fetch(url, { method: 'PROPFIND' });
    assert.equal(status, 405, path);
    assert.deepEqual(headers.get('allow')?.split(', ').sort(), methods.sort(), path);
  }
});
