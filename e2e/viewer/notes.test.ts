// Notes: written in the page, shown by every view, held by the agent, and exported with the trace.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { modelOf } from '@svc/trace';
import { traceFromText } from '@svc/trace/testing';
import type { Page } from 'playwright-core';
import { until } from '../../scripts/until.ts';
import { violations } from './axe.ts';
import { buildHere, openPage } from './open-standalone.ts';
import { noBrowser, openViewer, pickFile, type Viewer } from './open-viewer.ts';
import { sampleTrace } from './sample-trace.ts';
import { go, openSample, showTimeline } from './sample-viewer.ts';

/** Fills the dialog, and saves with Enter. */
async function writeNote(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(fields)) {
    await page.getByRole('textbox', { name, exact: false }).fill(text);
  }
  await page.getByRole('textbox', { name: 'Title' }).press('Enter');
  await page.getByRole('textbox', { name: 'Title' }).waitFor({ state: 'detached' });
}

/** The text of the exported trace. */
async function exported(page: Page): Promise<string> {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: /^Export/ }).click();
  return readFile(await (await download).path(), 'utf8');
}

/** The titles of the notes in the trace that the agent holds. */
async function titlesAt({ agent }: Viewer): Promise<string[]> {
  const authorization = `Bearer ${agent.token}`;
  const answer = await fetch(`${agent.origin}/api/trace`, { headers: { authorization } });
  return answer.ok ? modelOf(await answer.text()).notes.map(({ text }) => text) : [];
}

test('a range is named by keys, and every view shows its name and selects it', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openSample();
  const { page, faults } = viewer;
  await page.evaluate(() => {
    location.hash = 'view=timeline&range=4000-6600';
  });
  await page.getByRole('button', { name: 'Name this range' }).waitFor();
  await page.keyboard.press('a');
  await page.getByRole('dialog', { name: 'Add a note to the trace' }).waitFor();
  assert.deepEqual(await violations(page), []);
  await page.keyboard.type('Boss fight');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Slow after the door opens.');
  await page.keyboard.press('Control+Enter');
  const strip = page.getByRole('navigation', { name: 'Notes' });
  const chip = strip.getByRole('button', { name: /Boss fight/ });
  await page.getByText('Named ranges').waitFor();
  for (const view of ['Overview', 'Timeline', 'Frames', 'Stacks', 'Assets', 'Memory', 'Compare']) {
    await go(page, view);
    await chip.waitFor();
    assert.equal(await chip.getAttribute('aria-pressed'), 'true', view);
    await page.getByText(/Selected Boss fight, 0:04\.000/).waitFor();
  }
  await go(page, 'Analysis');
  await chip.waitFor();
  await chip.click();
  await go(page, 'Frames');
  await chip.click();
  await page.waitForURL(/view=frames&range=4000-6600/);
  await page.keyboard.press('m');
  const moment = page.getByRole('dialog', { name: '0:04.000, 2.60 s' });
  const listed = moment.getByRole('region', { name: 'Notes' });
  await listed.getByText('Slow after the door opens.').waitFor();
  await listed.getByRole('button', { name: 'Edit Boss fight' }).click();
  await writeNote(page, { Title: 'Boss fight, phase 1' });
  await listed.getByText('Boss fight, phase 1').first().waitFor();
  await page.keyboard.press('Escape');
  await go(page, 'Overview');
  const panel = page.getByRole('region', { name: 'Notes' });
  await panel.getByText('Boss fight, phase 1').waitFor();
  assert.deepEqual(await violations(page), []);
  await panel.getByRole('button', { name: /phase 1/ }).click();
  await strip.getByRole('button', { name: /phase 1/ }).click();
  await page.waitForURL((url) => !/range/.test(url.hash));
  assert.deepEqual(faults, []);
});

test('a comparison offers the named ranges of the trace before', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openSample();
  const { page, faults } = viewer;
  await go(page, 'Compare');
  const note = {
    type: 'note',
    t: 2000,
    source: 'native',
    id: 1,
    text: 'Level 2',
    duration_ms: 3000,
  };
  const [header = '', ...lines] = sampleTrace({ seconds: 20 }).split('\n');
  const text = [header, JSON.stringify(note), ...lines].join('\n');
  const asked = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose a file…' }).click();
  const file = { name: 'before.vpt', mimeType: 'text/plain', buffer: Buffer.from(text) };
  await (await asked).setFiles(file);
  const range = page.getByRole('combobox', { name: 'Time range of the trace before' });
  await range.selectOption('Level 2, 0:02.000 to 0:05.000 (3.00 s)');
  await page.waitForURL(/other=2000-5000/);
  assert.equal(await page.getByRole('spinbutton', { name: 'to, in seconds' }).inputValue(), '5');
  assert.deepEqual(faults, []);
});

test('a note about a point of time is placed, refused with a reason, changed and removed', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openSample();
  const { page, faults } = viewer;
  await page.getByRole('application', { name: /^Timeline/ }).focus();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('button', { name: 'Add a note' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a note to the trace' });
  assert.equal(await dialog.getByRole('textbox', { name: 'From' }).inputValue(), '0:30.000');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByRole('alert').getByText('Write a title.').waitFor();
  await dialog.getByRole('textbox', { name: 'From' }).fill('1:30');
  await dialog.getByRole('textbox', { name: 'Title' }).fill('Menu');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText(/^The trace ends at 1:00\./).waitFor();
  await writeNote(page, { From: '12.5' });
  const chip = page.getByRole('navigation', { name: 'Notes' }).getByRole('button');
  assert.equal(await chip.textContent(), '0:12.5 Menu');
  await go(page, 'Frames');
  await chip.click();
  await page.waitForURL(/view=timeline/);
  await page.evaluate(() => {
    location.hash = 'view=timeline&moment=12000-13000';
  });
  const moment = page.getByRole('dialog', { name: '0:12.000, 1.00 s' });
  await moment.getByRole('button', { name: 'Edit Menu' }).click();
  await page.getByRole('button', { name: 'Remove' }).click();
  await chip.waitFor({ state: 'detached' });
  assert.deepEqual(faults, []);
});

test('an exported trace has the notes before its end, and opens with them', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openViewer();
  const { page, faults } = viewer;
  const text = traceFromText(`native browser
    0 browser:frames 16*100
    40 native:note old duration_ms=200 Loading
    1600 end off`);
  await pickFile(page, { name: 'game.vpt', text });
  await showTimeline(page);
  await page.keyboard.press('a');
  await writeNote(page, { Title: 'Ünï <b>', From: '0:01', To: '1.25' });
  const file = await exported(page);
  const line = file.split('\n').at(-3) ?? '';
  assert.equal(file.replace(`${line}\n`, ''), text, 'no other byte has changed');
  const { id, ...note } = JSON.parse(line);
  assert.match(id, /^[0-9a-f]{8}$/);
  const expected = { type: 'note', t: 1000, text: 'Ünï <b>', duration_ms: 250, source: 'native' };
  assert.deepEqual(note, expected);
  await page.getByRole('button', { name: 'Export', exact: true }).waitFor();
  await pickFile(page, { name: 'again.vpt', text: file });
  const chips = page.getByRole('navigation', { name: 'Notes' }).getByRole('button');
  await page.getByRole('heading', { name: 'again.vpt' }).waitFor();
  assert.deepEqual(await chips.allTextContents(), ['0:00.0 Loading', '0:01.0 Ünï <b>']);
  await chips.first().click();
  await page.getByRole('button', { name: 'Edit the note' }).click();
  await page.getByRole('button', { name: 'Remove' }).click();
  assert.deepEqual(modelOf(await exported(page)).notes.length, 1);
  assert.deepEqual(faults, []);
});

test('the agent has the notes of a file: another page, a reload and its export show them', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openViewer();
  const { page, agent, faults } = viewer;
  await pickFile(page, { name: 'sample.vpt', text: sampleTrace() });
  await showTimeline(page);
  await page.keyboard.press('a');
  await writeNote(page, { Title: 'First', From: '1' });
  await page.keyboard.press('a');
  await writeNote(page, { Title: 'Second', From: '2', To: '3' });
  await until(
    () => titlesAt(viewer),
    ({ length }) => length === 2,
  );
  const other = await page.context().newPage();
  await other.goto(agent.url);
  const chips = other.getByRole('navigation', { name: 'Notes' }).getByRole('button');
  await chips.nth(1).waitFor();
  assert.deepEqual(await chips.allTextContents(), ['0:01.0 First', '0:02.0 Second']);
  await other.keyboard.press('a');
  await writeNote(other, { Title: 'Third', From: '4' });
  await until(
    () => titlesAt(viewer),
    ({ length }) => length === 3,
  );
  await other.close();
  await page.reload();
  await page.getByRole('navigation', { name: 'Notes' }).getByText('Third').waitFor();
  assert.deepEqual(await titlesAt(viewer), ['First', 'Second', 'Third']);
  assert.deepEqual(faults, []);
});

test('a trace of another client does not take the place of notes without a question, nor receive them', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openViewer();
  const { page, agent, faults } = viewer;
  await pickFile(page, { name: 'mine.vpt', text: sampleTrace({ seconds: 5 }) });
  await showTimeline(page);
  await page.keyboard.press('a');
  await writeNote(page, { Title: 'About mine', From: '1' });
  await until(
    () => titlesAt(viewer),
    ({ length }) => length === 1,
  );
  await page.keyboard.press('a');
  await page.getByRole('textbox', { name: 'Title' }).fill('Half written');
  const headers = { authorization: `Bearer ${agent.token}`, 'svc-trace-name': 'other.vpt' };
  const body = traceFromText('browser\n0 frames 16*100');
  await fetch(`${agent.origin}/api/trace`, { method: 'POST', headers, body });
  const confirm = page.getByRole('dialog', { name: 'Open other.vpt?' });
  await confirm.getByRole('button', { name: 'Open', exact: true }).click();
  await page.getByRole('heading', { name: 'other.vpt' }).waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page
    .getByText('Another trace was opened meanwhile. Copy your text, then cancel.')
    .waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  assert.deepEqual(await titlesAt(viewer), []);
  assert.deepEqual(faults, []);
});

test('a text that was closed without saving is there again, and Cancel never saves', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openSample();
  const { page, faults } = viewer;
  const title = page.getByRole('textbox', { name: 'Title' });
  await page.keyboard.press('a');
  await title.fill('Not lost');
  await page.keyboard.press('Escape');
  await page.keyboard.press('a');
  assert.equal(await title.inputValue(), 'Not lost');
  await page.getByRole('button', { name: 'Cancel' }).press('Control+Enter');
  await page.keyboard.press('Enter');
  await title.waitFor({ state: 'detached' });
  assert.equal(await page.locator('.note-chip').count(), 0);
  await page.keyboard.press('a');
  await page.getByRole('textbox', { name: 'To' }).fill('soon');
  await title.press('Enter');
  const to = page.getByRole('textbox', { name: 'To' });
  assert.equal(await to.getAttribute('aria-invalid'), 'true');
  assert.ok(await to.evaluate((field) => document.activeElement === field));
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(faults, []);
});

test('a note that is written during a capture is in the recording', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openViewer({ target: true });
  const { page, agent, folder, faults } = viewer;
  await page
    .getByRole('button', { name: /^Start/ })
    .first()
    .click();
  await showTimeline(page);
  await page.getByRole('button', { name: 'Add a note' }).click();
  await writeNote(page, { Title: 'Level loads', From: '0' });
  await until(
    () => titlesAt(viewer),
    ({ length }) => length === 1,
  );
  await page.getByRole('navigation', { name: 'Notes' }).getByText('Level loads').waitFor();
  await page.getByRole('button', { name: 'Export', exact: true }).waitFor();
  agent.end('off');
  await agent.ended;
  const traces = join(folder, 'data', 'traces');
  const [file = ''] = await readdir(traces);
  const { notes, end } = modelOf(await readFile(join(traces, file), 'utf8'));
  assert.deepEqual(
    notes.map(({ text }) => text),
    ['Level loads'],
  );
  assert.equal(end?.reason, 'off');
  assert.deepEqual(faults, []);
});

test('a page without an agent asks before notes are lost', { skip: noBrowser }, async (t) => {
  const { file } = await buildHere(t);
  const { page, faults, requested } = await openPage(t, file);
  await pickFile(page, { name: 'game.vpt', text: sampleTrace({ seconds: 5 }) });
  await page.getByRole('heading', { name: 'game.vpt' }).waitFor();
  await page.keyboard.press('a');
  await writeNote(page, { Title: 'Only here', From: '1' });
  const asked: string[] = [];
  page.on('dialog', async (dialog) => {
    asked.push(dialog.type());
    await dialog.dismiss();
  });
  await page.close({ runBeforeUnload: true });
  await until(
    () => asked.length,
    (count) => count === 1,
  );
  assert.deepEqual(asked, ['beforeunload']);
  await pickFile(page, { name: 'next.vpt', text: sampleTrace({ seconds: 3 }) });
  const confirm = page.getByRole('dialog', { name: 'Open next.vpt?' });
  await confirm.getByText(/game\.vpt, which has notes that no file has/).waitFor();
  assert.deepEqual(await violations(page), []);
  const download = page.waitForEvent('download');
  await confirm.getByRole('button', { name: 'Export it first' }).click();
  assert.equal(modelOf(await readFile(await (await download).path(), 'utf8')).notes.length, 1);
  await confirm.getByText('The notes are exported.').waitFor();
  await confirm.getByRole('button', { name: 'Open', exact: true }).click();
  await page.getByRole('heading', { name: 'next.vpt' }).waitFor();
  assert.deepEqual([faults, requested], [[], []]);
});
