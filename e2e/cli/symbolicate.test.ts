// A minified game stalls in Chromium. After `svc trace symbolicate`, its hitches name the function and line of the source.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { rolldown } from 'rolldown';
import { runSvc } from '../../packages/cli/test/svc.ts';
import { findBrowser } from '../../scripts/find-browser.ts';
import { until } from '../../scripts/until.ts';
import { launch, openPage } from '../collector/page.ts';

const SKIP = { skip: findBrowser() === null && 'no Chromium is installed' };

/** Line 3 is the arrow function that every thirtieth frame calls; the minifier shortens its name. */
const LEVEL = `let sum = 0;
let stalls = 0;
const stallInLevel = (budget: number): void => {
  const end = performance.now() + budget;
  while (performance.now() < end) for (let i = 0; i < 20000; i++) sum += Math.sqrt(i + sum);
  (globalThis as { stalls?: number }).stalls = ++stalls;
};
export class Level {
  #frames = 0;
  update(): void {
    if (++this.#frames % 30 === 0) stallInLevel(80);
  }
}
`;
const MAIN = `import { Level } from './level.ts';
const level = new Level();
function frame(): void {
  level.update();
  requestAnimationFrame(frame);
}
frame();
`;

async function buildGame(folder: string): Promise<string> {
  writeFileSync(join(folder, 'level.ts'), LEVEL);
  writeFileSync(join(folder, 'main.ts'), MAIN);
  const made = await rolldown({ input: join(folder, 'main.ts') });
  const file = join(folder, 'dist/game.min.js');
  await made.write({ file, format: 'iife', minify: true, sourcemap: true });
  await made.close();
  return readFileSync(file, 'utf8');
}

/** Records a Chrome trace of the game until it has stalled five times. */
async function record(script: string): Promise<string> {
  // Without the optimizing compilers, which would inline the function into its caller.
  await using browser = await launch('--js-flags=--no-opt --no-maglev');
  await using game = await openPage('', {
    browser,
    html: '<!doctype html><link rel="icon" href="data:,"><script src="/play/game.min.js?v=3"></script>',
    files: (path) =>
      path.startsWith('/play/game.min.js') ? { type: 'text/javascript', body: script } : null,
  });
  const { page } = game;
  const cdp = await page.context().newCDPSession(page);
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
      ],
    },
  });
  const before = Number(await page.evaluate('globalThis.stalls ?? 0'));
  await until(
    () => page.evaluate('globalThis.stalls ?? 0'),
    (stalls) => Number(stalls) >= before + 5,
    'the page to stall',
  );
  await cdp.send('Tracing.end');
  await complete;
  return JSON.stringify({ traceEvents: events });
}

type Hitch = { readonly functions: readonly { readonly name: string; readonly self: number }[] };

test('hitches of a minified game name the function and line of the source', SKIP, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-symbolicate-'));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  const script = await buildGame(folder);
  assert.doesNotMatch(script, /stallInLevel/);
  writeFileSync(join(folder, 'level.json'), await record(script));
  const svc = (...args: string[]) => runSvc(t, ['trace', ...args], { cwd: folder });

  const made = await svc('symbolicate', 'level.json', '--maps', 'dist');
  assert.equal(made.code, 0, made.stderr);
  assert.match(made.stdout, /^Resolved \d+ of \d+ functions from 1 source map\./);
  const shown = await svc('hitches', 'level.symbolicated.vpt', '--limit', '1000', '--json');
  const hitches: Hitch[] = JSON.parse(shown.stdout).hitches;
  // A busy machine samples some stalls only in part. The one with the most samples represents them.
  const stallOf = ({ functions }: Hitch): number =>
    functions.find(({ name }) => name.startsWith('stallInLevel'))?.self ?? 0;
  const worst = hitches.toSorted((a, b) => stallOf(b) - stallOf(a))[0];
  const names = worst?.functions.map(({ name }) => name) ?? [];
  assert.equal(names[0], 'stallInLevel level.ts:3', shown.stdout);
  const trace = readFileSync(join(folder, 'level.symbolicated.vpt'), 'utf8');
  assert.match(trace, /"update level\.ts:10"/);
  assert.match(trace, /"frame main\.ts:3"/);
  assert.match(trace, /"level\.ts:3:\d+"/);
  // Neither the stacks nor the long tasks have a shortened name.
  assert.doesNotMatch(trace.replaceAll(/http:[^"]*/g, ''), /"[a-z] game\.min\.js:/);
  assert.doesNotMatch(trace, /svc-symbolicate-/);
});
