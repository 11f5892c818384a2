// Real recordings of Chromium: a page that lays out a large document, and one that fills the heap, are bound by that work.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Bound, modelOf, type TraceBounds, traceBounds } from '@svc/trace';
import { until } from '../../scripts/until.ts';
import { launch, openPage } from '../collector/page.ts';
import { noBrowser } from './open-viewer.ts';

const SKIP = { skip: noBrowser };

/** Every twentieth frame runs `work`. */
const gameOf = (setup: string, work: string): string => `
globalThis.works = 0;
let frames = 0;
${setup}
function frame() {
  if (++frames % 20 === 0) {
    ${work}
    globalThis.works++;
  }
  requestAnimationFrame(frame);
}
requestAnimationFrame(frame);
`;

/** Records the page until it has done its work six times. */
async function boundsOf(game: string): Promise<TraceBounds> {
  await using browser = await launch();
  await using opened = await openPage(game, { browser });
  const cdp = await opened.page.context().newCDPSession(opened.page);
  const events: unknown[] = [];
  cdp.on('Tracing.dataCollected', ({ value }) => events.push(...value));
  const complete = new Promise((done) => cdp.once('Tracing.tracingComplete', done));
  await cdp.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: {
      includedCategories: [
        'devtools.timeline',
        'disabled-by-default-devtools.timeline',
        'disabled-by-default-v8.cpu_profiler',
        'v8',
      ],
    },
  });
  const worksBefore = Number(await opened.page.evaluate('works'));
  await until(
    () => opened.page.evaluate('works'),
    (works) => Number(works) >= worksBefore + 6,
    'the page to work',
  );
  await cdp.send('Tracing.end');
  await complete;
  return traceBounds(modelOf(JSON.stringify({ traceEvents: events })));
}

/** Other programs of a busy machine can delay any work, so only the frame with the largest share of the kind is compared. */
function assertBound(t: TestContext, bounds: TraceBounds, kind: 'rendering' | 'gc'): void {
  const share = ({ parts, duration_ms }: TraceBounds['hitches'][number]): number =>
    parts[`${kind}_ms`] / duration_ms;
  const [worst = assert.fail('no frame was over budget')] = bounds.hitches.toSorted(
    (a, b) => share(b) - share(a),
  );
  t.diagnostic(JSON.stringify(worst));
  const { main_ms, other_ms, idle_ms, duration_ms } = worst.parts;
  assert.equal(worst.bound, kind satisfies Bound);
  assert.ok(main_ms !== null && other_ms !== null && idle_ms !== null);
  assert.ok(Math.abs(main_ms + idle_ms - duration_ms) < 0.01);
}

test('a page that lays out a large document by force is bound by rendering', SKIP, async (t) => {
  const setup = `const box = document.body.appendChild(document.createElement('div'));
    for (let i = 0; i < 4000; i++) box.appendChild(document.createElement('span')).textContent = 'word ' + i + ' ';
    let height = 0;`;
  const work =
    "for (let i = 0; i < 6; i++) { box.style.width = 300 + (frames + i * 7) % 200 + 'px'; height += box.offsetHeight; }";
  assertBound(t, await boundsOf(gameOf(setup, work)), 'rendering');
});

test('a page that keeps very many objects is bound by garbage collection', SKIP, async (t) => {
  const setup = 'let kept = [];';
  const work = `for (let i = 0; i < 600000; i++) kept.push({ a: i, b: [i] });
    if (kept.length > 3000000) kept = [];`;
  assertBound(t, await boundsOf(gameOf(setup, work)), 'gc');
});
