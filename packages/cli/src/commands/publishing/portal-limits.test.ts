// Builds at the limits of each portal.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Build } from '@svc/game-build';
import { comparePortals } from './portal-limits.ts';

const MB = 1_000_000;
const MIB = 1024 * 1024;

/** The portals that would reject the build, with the reasons. */
function refusals(
  count: number,
  largest: number,
  total: number,
): Record<string, readonly string[]> {
  const file = (path: string, bytes: number) => ({ path, bytes });
  const files = Array.from({ length: count }, (_, at) => file(`f${at}`, at === 1 ? largest : 1));
  const build = { files, expanded_bytes: total } as unknown as Pick<
    Build,
    'files' | 'expanded_bytes'
  >;
  const over = comparePortals(build).filter(({ fits }) => !fits);
  return Object.fromEntries(over.map(({ id, reasons }) => [id, reasons]));
}

test('comparePortals accepts a build that reaches the limits of a portal, and names exceeded limits', () => {
  assert.deepEqual(refusals(2, 1, 2), {});
  assert.deepEqual(refusals(1000, 1, 2), {});
  assert.deepEqual(refusals(1001, 1, 2), { itch: ['1,001 files, at most 1,000'] });
  assert.deepEqual(Object.keys(refusals(1500, 1, 2)), ['itch']);
  assert.deepEqual(Object.keys(refusals(1501, 1, 2)), ['itch', 'crazygames']);
  assert.deepEqual(Object.keys(refusals(20_000, 1, 2)), ['itch', 'crazygames']);
  assert.deepEqual(Object.keys(refusals(20_001, 1, 2)), ['itch', 'crazygames', 'cloudflare-pages']);

  assert.deepEqual(refusals(2, 25 * MIB, 2), {});
  assert.deepEqual(refusals(2, 25 * MIB + 1, 2), {
    'cloudflare-pages': ['f1 has 25.0 MiB, at most 25.0 MiB'],
  });
  assert.deepEqual(Object.keys(refusals(2, 30 * MIB, 2)), ['cloudflare-pages']);
  assert.deepEqual(Object.keys(refusals(2, 30 * MIB + 1, 2)), [
    'youtube-playables',
    'cloudflare-pages',
  ]);
  assert.equal(refusals(2, 200 * MB, 2)['itch'], undefined);
  assert.deepEqual(refusals(2, 200 * MB + 1, 2)['itch'], ['f1 has 191 MiB, at most 191 MiB']);

  assert.deepEqual(refusals(2, 1, 250 * MB), {});
  assert.deepEqual(refusals(2, 1, 250 * MB + 1), {
    crazygames: ['238 MiB in all, at most 238 MiB'],
  });
  assert.deepEqual(Object.keys(refusals(2, 1, 250 * MIB)), ['crazygames']);
  assert.deepEqual(Object.keys(refusals(2, 1, 250 * MIB + 1)), ['crazygames', 'youtube-playables']);
  assert.equal(refusals(2, 1, 500 * MB)['itch'], undefined);
  assert.deepEqual(refusals(1001, 1, 500 * MB + 1)['itch'], [
    '1,001 files, at most 1,000',
    '477 MiB in all, at most 477 MiB',
  ]);
});

test('comparePortals compares a build without files, and names the source of each portal’s limits', () => {
  const verdicts = comparePortals({ files: [], expanded_bytes: 0 });
  assert.deepEqual(
    verdicts.map(({ id, fits }) => [id, fits]),
    [
      ['itch', true],
      ['crazygames', true],
      ['youtube-playables', true],
      ['cloudflare-pages', true],
    ],
  );
  for (const { source } of verdicts) assert.match(source, /^https:\/\//);
});
