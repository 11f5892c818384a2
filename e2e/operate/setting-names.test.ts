// The servers warn about unknown settings, so they must know all that one of them reads, or that the guide lists.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readSettings } from '@svc/platform';
import { SERVER_SETTINGS } from '@svc/serve';
import { readSettings as readWebSettings } from '@svc/web';
import { ROOT } from '../../scripts/workspaces.ts';

const PAGES = ['platform-api.md', 'store.md', 'operations.md'];

/** The names that a function reads from an empty environment. */
function namesRead(read: (environment: Readonly<Record<string, undefined>>) => unknown): string[] {
  const names: string[] = [];
  const environment = new Proxy<Readonly<Record<string, undefined>>>(
    {},
    {
      get(_, name) {
        names.push(String(name));
        return undefined;
      },
    },
  );
  read(environment);
  return names.filter((name) => name.startsWith('SVC_'));
}

/** The names in the first column of the tables of a page. */
function namesListed(page: string): string[] {
  const rows = readFileSync(join(ROOT, 'docs', page), 'utf8').matchAll(/^\|([^|]*)\|/gm);
  return [...rows].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(SVC_\w+)`/g)].map(([, name = '']) => name),
  );
}

test('the servers know every setting that one of them reads or that the guide lists, and no other', () => {
  const read = [...namesRead(readSettings), ...namesRead(readWebSettings)];
  assert.ok(read.length > 100);
  const listed = PAGES.flatMap(namesListed);
  assert.ok(listed.length > 50);
  assert.deepEqual([...new Set([...read, ...listed])].toSorted(), SERVER_SETTINGS.toSorted());
});
