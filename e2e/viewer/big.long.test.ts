// Big traces in a real browser: 500 MB of folded stacks, and an hour of frames at 60 fps with stacks.
import assert from 'node:assert/strict';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { test } from 'node:test';
import { formatHeader, formatRecord } from '@svc/trace';
import type { Locator } from 'playwright-core';
import { noBrowser, openViewer, pickFile } from './open-viewer.ts';
import { random, sampleFolded } from './sample-trace.ts';

const WAIT = { timeout: 300_000 };
const WHEEL_STEPS = 60;

async function writePieces(path: string, pieces: Iterable<string>): Promise<void> {
  const out = createWriteStream(path);
  for (const text of pieces) {
    if (!out.write(text)) await new Promise((done) => out.once('drain', () => done(null)));
  }
  out.end();
  await finished(out);
}

/** Folded stacks of twelve threads, repeated: about four million nodes. */
function* threads(bytes: number): Generator<string> {
  const lines = sampleFolded(40_000).trimEnd().split('\n');
  for (let written = 0, thread = 0; written < bytes; thread++) {
    const text = lines.map((line) => `thread_${thread % 12};${line}\n`).join('');
    written += text.length;
    yield text;
  }
}

/** Limits for a step of the wheel in ms, median and maximum. Above them the page feels stuck. */
const STUCK_MS = { median: 500, longest: 2000 };

/** Turns the wheel over an element and asserts the time of each step, from the input to the next frame. */
async function wheelOver(on: Locator, what: string): Promise<void> {
  const steps = await on.evaluate(async (element, count) => {
    const taken: number[] = [];
    for (let i = 0; i < count; i++) {
      const start = performance.now();
      const zooms = i % 4 === 0;
      element.dispatchEvent(
        new WheelEvent('wheel', {
          deltaX: zooms ? 0 : 40,
          deltaY: zooms ? -40 : 8,
          ctrlKey: zooms,
          clientX: 400,
          bubbles: true,
          cancelable: true,
        }),
      );
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      taken.push(performance.now() - start);
    }
    return taken.toSorted((a, b) => a - b);
  }, WHEEL_STEPS);
  const median = steps[WHEEL_STEPS / 2] ?? Number.NaN;
  const longest = steps.at(-1) ?? Number.NaN;
  const result = `${what}: a step took ${median.toFixed(0)} ms, at most ${longest.toFixed(0)} ms`;
  console.log(result);
  assert.ok(median < STUCK_MS.median && longest < STUCK_MS.longest, result);
}

test('500 MB of folded stacks can be cancelled, opened, panned and searched, and the page reports that the agent rejects them', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openViewer({ agent: { importLimitBytes: 2 ** 20 } });
  const { page, faults, folder } = viewer;
  const path = join(folder, 'large.folded');
  await writePieces(path, threads(500e6));
  await pickFile(page, path);
  await page.getByText(/^Reading large\.folded/).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('Stopped opening large.folded.').waitFor();
  await pickFile(page, path);
  const graph = page.getByRole('application', { name: /^Flame graph/ });
  await graph.waitFor(WAIT);
  await page.locator('.legend li').first().waitFor(WAIT);
  await wheelOver(graph, 'flame graph of 500 MB');
  await graph.focus();
  await page.keyboard.press('Escape');
  await page.keyboard.press('ArrowDown');
  await page.locator('.chosen-facts b', { hasText: /^thread_\d+$/ }).waitFor(WAIT);
  await page.getByText(/Shown in this page only: as \.vpt the file has/).waitFor(WAIT);
  await page.getByRole('button', { name: 'Table', exact: true }).click();
  await page.locator('tbody tr').first().waitFor(WAIT);
  assert.deepEqual(faults, []);
});

const HOUR_S = 3600;
const NODES = 500;

/** An hour with 60 frames and 100 stacks per second. The first record of stacks contains the tree to which all refer. */
function* hour(): Generator<string> {
  const next = random(11);
  yield formatHeader({
    vpt: 1,
    producer: { name: 'sample', version: '1.0.0' },
    started_at: null,
    sources: ['browser'],
  });
  const nodes = Array.from({ length: NODES }, (_, node) => node);
  const tree = {
    names: Array.from({ length: 50 }, (_, i) => `function_${i}`),
    parents: nodes.map((node) => (node < 5 ? -1 : Math.floor(next() * node))),
    node_names: nodes.map((node) => node % 50),
  };
  const known = { names: [], parents: [], node_names: [] };
  for (let second = 0; second < HOUR_S; second++) {
    const t = second * 1000;
    const slow = second % 60 === 30;
    yield formatRecord({
      type: 'frames',
      t,
      duration_ms: Array.from({ length: 60 }, (_, i) => (slow && i === 7 ? 120 : 14.7)),
    });
    yield formatRecord({
      type: 'stacks',
      t,
      duration_ms: 1000,
      unit: 'samples',
      first_name: second === 0 ? 0 : tree.names.length,
      first_node: second === 0 ? 0 : NODES,
      ...(second === 0 ? tree : known),
      samples: {
        node: Array.from({ length: 100 }, () => Math.floor(next() * NODES)),
        weight: new Array<number>(100).fill(1),
      },
    });
  }
  yield formatRecord({ type: 'end', t: HOUR_S * 1000, reason: 'done' });
}

test('timeline, frames and stacks stay usable with an hour of 60 fps frames and stacks', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openViewer();
  const { page, faults, folder } = viewer;
  const path = join(folder, 'hour.vpt');
  await writePieces(path, hour());
  await pickFile(page, path);
  await page.getByRole('heading', { name: /^Main thread bound|^Smooth|^The trace/ }).waitFor(WAIT);
  const go = (name: string): Promise<void> =>
    page.getByRole('navigation').getByRole('button', { name, exact: true }).click();
  await go('Timeline');
  const timeline = page.getByRole('application', { name: /^Timeline from 0:00.* to 1:00:00/ });
  await timeline.waitFor(WAIT);
  await wheelOver(page.locator('.track-canvas'), 'timeline of an hour');
  await go('Frames');
  await page.getByText(/of 216.?000 frames/).waitFor(WAIT);
  assert.equal((await page.getByRole('button', { name: /^\d+:\d\d/ }).count()) > 0, true);
  await page.evaluate(() => {
    location.hash = 'view=stacks&range=60000-120000';
  });
  await page.getByText(/of 360.?000 samples \(1\.67 %\)/).waitFor(WAIT);
  await page.getByRole('button', { name: 'In order' }).click();
  const graph = page.getByRole('application', { name: /^Flame graph in the order/ });
  await graph.waitFor();
  await page.keyboard.press('Escape');
  await page
    .getByText(/^360.?000 samples/)
    .first()
    .waitFor(WAIT);
  await wheelOver(graph, 'flame graph of an hour');
  assert.deepEqual(faults, []);
});
