// The memory view: what leaks, by load, by asset and by time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { traceFromText } from '@svc/trace/testing';
import { violations } from './axe.ts';
import { noBrowser, openViewer, pickFile } from './open-viewer.ts';
import { go } from './sample-viewer.ts';

const MIB = 1_048_576;
const heap = Array.from({ length: 60 }, (_, i) => (20 + i) * MIB).join(' ');

/** Four loads of a level. Each leaves a texture of 1 MiB, and the heap grows. */
const LEVELS = traceFromText(`browser
  0 frames 10*10
${[0, 1, 2, 3]
  .map(
    (i) => `  ${i * 10_000 + 1000} span 500 level-2 loading
  ${i * 10_000 + 1100} asset ${i} rock.png texture upload gpu_bytes=${MIB}
  ${i * 10_000 + 9000} release 99 gpu_bytes=0`,
  )
  .join('\n')}
  0 counter js_heap_bytes bytes ${heap}
  60000 end off`);

for (const dark of [false, true]) {
  test(`the loads that leave memory, the assets that are alive, and the trends, ${dark ? 'dark' : 'light'}`, {
    skip: noBrowser,
  }, async () => {
    await using viewer = await openViewer({
      dark,
      size: { width: dark ? 390 : 1440, height: 844 },
    });
    const { page, faults } = viewer;
    await pickFile(page, { name: 'levels.vpt', text: LEVELS });
    await page
      .getByRole('region', { name: 'Memory', exact: true })
      .getByText(/^JS heap grows by 60\.0 MiB/)
      .waitFor();
    await page.getByRole('button', { name: /^Each “level-2” leaves 1\.0 MiB/ }).click();
    await page
      .getByRole('heading', { name: /^Each “level-2” leaves 1\.0 MiB of GPU memory/, level: 2 })
      .waitFor();
    await page
      .getByRole('region', { name: 'By time' })
      .getByText(/^JS heap grows by 60\.0 MiB/)
      .waitFor();
    const byLoad = page.getByRole('region', { name: 'By load' });
    await byLoad.getByText(/^rock\.png: \+1\.0 MiB each time/).waitFor();
    const table = byLoad.getByRole('region', { name: 'Occurrences of level-2' });
    assert.equal(await table.getByRole('row').count(), 5, 'a head and four loads');
    const alive = page.getByRole('region', { name: 'Assets alive at the end' });
    assert.equal(await alive.getByTitle('rock.png').count(), 4);
    assert.deepEqual(await violations(page), []);
    await table.getByRole('button', { name: '0:21.000' }).click();
    await page.waitForURL(/view=timeline&range=21000-21500/);
    assert.deepEqual(faults, []);
  });
}

test('a trace without any memory says what records it', { skip: noBrowser }, async () => {
  await using viewer = await openViewer();
  const { page, faults } = viewer;
  await pickFile(page, { name: 'frames.vpt', text: traceFromText('browser\n0 frames 10*10') });
  await go(page, 'Memory');
  await page.getByRole('heading', { name: 'No memory in this trace' }).waitFor();
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(faults, []);
});
