// The comparison of two traces and the ranges of its numbers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { violations } from './axe.ts';
import { noBrowser, openViewer, pickFile } from './open-viewer.ts';
import { traceText } from './sample-trace.ts';
import { go, openSample, pickSecond } from './sample-viewer.ts';

test('a comparison uses the selection, and the selected range of the other trace', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openSample();
  const { page, faults } = viewer;
  await page.evaluate(() => {
    location.hash = 'view=compare&range=6000-12000';
  });
  await pickSecond(page);
  const sides = page.getByLabel('What is compared').filter({ hasText: 'After' });
  await sides.getByText('0:06.000 to 0:12.000 (6.00 s), selected').waitFor();
  const frames = page.getByRole('row', { name: /^Frames browser/ });
  const counts = async (): Promise<number[]> => {
    const cells = await frames.getByRole('cell').allTextContents();
    return cells.slice(2, 4).map((text) => Number(text.replaceAll(/\D/g, '')));
  };
  const near = async (before: number, after: number): Promise<void> => {
    await page.waitForFunction(
      ([text, most]) => {
        const row = [...document.querySelectorAll('tr')].find((one) =>
          one.textContent?.startsWith('Framesbrowser'),
        );
        const count = Number(row?.children[2]?.textContent?.replaceAll(/\D/g, ''));
        return Math.abs(count - Number(text)) < Number(most);
      },
      [before, before / 10] as const,
    );
    const [is] = (await counts()).slice(1);
    assert.ok(Math.abs((is ?? 0) - after) < after / 10, `${is} frames after`);
  };
  await near(2650, 356);
  const stretch = page.getByLabel('Time range of the trace before');
  await stretch.selectOption('same');
  await near(340, 356);
  await stretch.selectOption('own');
  await page.getByLabel('from, in seconds').fill('1');
  await page.getByLabel('to, in seconds').fill('3');
  await page.getByLabel('to, in seconds').press('Enter');
  await near(113, 356);
  assert.match(page.url(), /range=6000-12000&other=1000-3000/);
  await page.getByLabel('to, in seconds').fill('0.5');
  await page.getByLabel('to, in seconds').press('Enter');
  await page.getByText('The end must be after the start.').waitFor();
  await page.getByRole('button', { name: 'Memory over time' }).click();
  await page.getByRole('button', { name: 'Show table' }).click();
  const times = page.getByRole('region', { name: 'Memory over time, before and after' });
  await times.getByRole('cell', { name: '0:05.000' }).first().waitFor();
  assert.equal(await times.getByRole('cell', { name: '0:06.000' }).count(), 0);
  await page.getByRole('button', { name: 'Stacks' }).last().click();
  await page.getByRole('application', { name: /^Differential flame graph/ }).waitFor();
  assert.deepEqual(faults, []);
});

test('traces of different kinds open with a comparison that both support', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openViewer();
  const { page, faults } = viewer;
  const asset = (name: string, bytes: number): string =>
    traceText({
      type: 'asset',
      t: 5,
      id: name,
      name,
      kind: 'texture',
      phase: 'load',
      bytes,
      duration_ms: 3,
    });
  const chosen = page
    .getByRole('group', { name: 'What is compared' })
    .locator('button[aria-pressed=true]');
  const other = async (name: string, text: string): Promise<void> => {
    const asked = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: /^(Choose a|Another) file…$/ }).click();
    const buffer = Buffer.from(text);
    await (await asked).setFiles({ name, mimeType: 'text/plain', buffer });
    await page.getByText(name).first().waitFor();
  };
  await pickFile(page, { name: 'rock.vpt', text: asset('rock', 1000) });
  await go(page, 'Compare');
  await other('stacks.folded', 'main;draw 3\n');
  await page.getByRole('region', { name: 'Assets, before and after' }).waitFor();
  assert.equal(await chosen.textContent(), 'Assets');
  await other('tree.vpt', asset('tree', 2000));
  await page.getByRole('cell', { name: 'tree' }).first().waitFor();
  await pickFile(page, { name: 'own.folded', text: 'main;draw 3\nmain;walk 4\n' });
  await other('before.folded', 'main;draw 9\n');
  await page.getByRole('application', { name: /^Differential flame graph/ }).waitFor();
  assert.deepEqual(faults, []);
});

test('the comparison of assets shows the largest rise of cost first', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openViewer();
  const { page, faults } = viewer;
  const trace = (...assets: [name: string, ms: number, bytes: number][]): string =>
    traceText(
      { type: 'frames', t: 0, duration_ms: [16, 120, 16] },
      ...assets.map(([name, main_thread_ms, bytes]) => {
        const asset = { type: 'asset', t: 20, id: name, kind: 'texture', phase: 'upload' } as const;
        return { ...asset, name, main_thread_ms, bytes };
      }),
    );
  const before = trace(
    ['art/comet.png', 1, 1024],
    ['art/ship-a1b2c3d4.png', 1, 0],
    ['gone', 60, 0],
  );
  const after = trace(['art/comet.png', 90, 4096], ['art/ship-d9c8b7a6.png', 1, 0], ['new', 5, 0]);
  await pickFile(page, { name: 'after.vpt', text: after });
  await go(page, 'Compare');
  const asked = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose a file…' }).click();
  const file = { name: 'before.vpt', mimeType: 'text/plain', buffer: Buffer.from(before) };
  await (await asked).setFiles(file);
  await page.getByRole('group', { name: 'What is compared' }).getByText('Assets').click();
  const table = page.getByRole('region', { name: 'Assets, before and after' });
  await table.getByTitle('art/comet.png', { exact: true }).waitFor();
  const rows = await table.getByRole('row').allInnerTexts();
  const names = rows.slice(1).map((row) => row.split(/\s/, 1)[0]);
  assert.deepEqual(names, ['art/comet.png', 'new', 'art/ship-d9c8b7a6.png', 'gone']);
  assert.match(rows[1] ?? '', /\+\d+\.\d\d\s.*\+3\.0 KiB\s+in both/s);
  assert.match(rows[3] ?? '', /was art\/ship-a1b2c3d4\.png/);
  assert.deepEqual(faults, []);
});

test('the comparison states whether both traces are of the same build', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openViewer();
  const { page, faults } = viewer;
  const trace = (digest: string | null): string => {
    const text = traceText({ type: 'frames', t: 0, duration_ms: [16, 120, 16] });
    return digest === null ? text : text.replace('{', `{"build":{"digest":"sha256:${digest}"},`);
  };
  const before = async (name: string, digest: string | null): Promise<void> => {
    const asked = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: /^(Choose a|Another) file…$/ }).click();
    const buffer = Buffer.from(trace(digest));
    await (await asked).setFiles({ name, mimeType: 'text/plain', buffer });
    await page.getByText(name).first().waitFor();
  };
  const [one, another] = ['ab'.repeat(32), '01'.repeat(32)];
  await pickFile(page, { name: 'after.vpt', text: trace(one) });
  await go(page, 'Compare');
  const builds = page.getByLabel('What is compared').locator('div', { hasText: 'Builds' });
  await before('same.vpt', one);
  await builds.getByText('the same, abababababab').waitFor();
  await before('other.vpt', another);
  await builds.getByText('different: 010101010101 before, abababababab after').waitFor();
  assert.deepEqual(await violations(page), []);
  await before('unnamed.vpt', null);
  await builds.getByText('unknown', { exact: true }).waitFor();
  await page.keyboard.press('i');
  await page.getByRole('dialog').getByText(`sha256:${one}`).waitFor();
  assert.deepEqual(faults, []);
});

test('the comparison states what changed most, and leads to the parts that show it', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openViewer({ size: { width: 390, height: 844 }, dark: true });
  const { page, faults } = viewer;
  const name = `art/${'comet/'.repeat(60)}tail.png`;
  const trace = (main_thread_ms: number, gpu: string): string =>
    traceText(
      { type: 'frames', t: 0, duration_ms: [...Array.from({ length: 50 }, () => 16), 120] },
      { type: 'frames', t: 5000, duration_ms: [16, main_thread_ms + 30, 16] },
      { type: 'asset', t: 5020, id: 1, name, kind: 'texture', phase: 'upload', main_thread_ms },
    ).replace('{', `{"gpu":{"name":"${gpu}","software":false},`);
  const before = async (file: string, text: string): Promise<void> => {
    const asked = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: /^(Choose a|Another) file…$/ }).click();
    const buffer = Buffer.from(text);
    await (await asked).setFiles({ name: file, mimeType: 'text/plain', buffer });
    await page.getByText(file).first().waitFor();
  };
  await pickFile(page, { name: 'after.vpt', text: trace(90, 'Card') });
  await go(page, 'Compare');
  await before('before.vpt', trace(10, 'Other card'));
  const changed = page.getByRole('region', { name: 'What changed most' });
  const headline = changed.getByRole('heading');
  await headline.getByText(/^The time over budget per minute rose by \d+ % \(/).waitFor();
  await changed.getByText(/^\d+ values are worse, \d+ better, \d+ the same\.$/).waitFor();
  await changed.getByText(/^The traces have different graphics adapters: Other card/).waitFor();
  const chosen = page
    .getByRole('group', { name: 'What is compared' })
    .locator('button[aria-pressed=true]');
  await changed.getByRole('button', { name: /^Asset.*tail\.png.*costs \d.*Assets/s }).click();
  assert.equal(await chosen.textContent(), 'Assets');
  const rows = page.getByRole('region', { name: 'Assets, before and after' }).getByRole('row');
  await rows.nth(1).getByTitle(name).waitFor();
  await changed.getByRole('button', { name: 'Frames and memory' }).click();
  assert.equal(await chosen.textContent(), 'Frames and memory');
  await page.getByRole('row', { name: /^Time over budget per minute/ }).waitFor();
  assert.deepEqual(await violations(page), []);
  const inside = await changed.evaluate((one) => {
    const next = one.nextElementSibling;
    const fits = one.scrollWidth <= one.clientWidth + 16;
    return (
      fits &&
      next !== null &&
      next.getBoundingClientRect().top >= one.getBoundingClientRect().bottom
    );
  });
  assert.ok(inside, 'the answer is not covered, and not wider than the page');
  // Only the first five seconds, which are the same in both.
  await page.evaluate(() => {
    location.hash = 'view=compare&range=0-5000&other=same';
  });
  await headline.getByText('Nothing changed beyond noise.').waitFor();
  assert.equal(await changed.getByRole('button').count(), 0);
  await before('same.vpt', trace(90, 'Card'));
  await page.evaluate(() => {
    location.hash = 'view=compare';
  });
  await changed.getByText(/values are the same/).waitFor();
  assert.equal(await changed.getByText(/graphics adapters/).count(), 0);
  assert.deepEqual(faults, []);
});

test('the function whose share rose most leads to the table of functions', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openViewer();
  const { page, faults } = viewer;
  await pickFile(page, { name: 'after.folded', text: 'main;draw 3\nmain;walk 7\n' });
  await go(page, 'Compare');
  const asked = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose a file…' }).click();
  const buffer = Buffer.from('main;draw 6\nmain;walk 4\n');
  await (await asked).setFiles({ name: 'before.folded', mimeType: 'text/plain', buffer });
  const changed = page.getByRole('region', { name: 'What changed most' });
  await changed
    .getByText('Only functions can be compared: no other value is in both traces.')
    .waitFor();
  await changed
    .getByRole('button', { name: /^Function.*walk.*takes 70\.0 % of the samples, 40\.0 % before/s })
    .click();
  const rows = page.getByRole('region', { name: 'Functions, before and after' }).getByRole('row');
  await rows.filter({ hasText: /^walk/ }).waitFor();
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(faults, []);
});
