// Moonhop, played by its autopilot, with and without the collector: main-thread time of all frame callbacks.
import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Browser } from 'playwright-core';
import { rolldown } from 'rolldown';
import { ROOT } from '../../scripts/workspaces.ts';
import { serveIsolated } from './serve-isolated.ts';

const GAME = join(ROOT, 'examples/moonhop');
const NOTHING = join(import.meta.dirname, 'no-collector.ts');
const FRAMES = 400;
const WARM_UP_FRAMES = 120;
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
};
/** Sums the time of all callbacks of a frame, including microtasks, in µs. */
const TIMING = `<script>
  const ask = requestAnimationFrame.bind(globalThis);
  let time = 0;
  globalThis.frameTimes = [];
  globalThis.requestAnimationFrame = (callback) => ask((now) => {
    const from = performance.now();
    callback(now);
    queueMicrotask(() => {
      const us = (performance.now() - from) * 1000;
      if (now === time) frameTimes[frameTimes.length - 1] += us;
      else frameTimes.push(us);
      time = now;
    });
  });
</script>`;

/** Main-thread time of the game's frames in µs, with the collector if `recorded`. */
export async function playExample(browser: Browser, recorded: boolean): Promise<number[]> {
  const code = await bundleGame(recorded);
  await using server = await serveIsolated((path) => {
    if (path === '/game.js') return { type: 'text/javascript', body: code };
    const file = join(GAME, 'dist', path === '/' ? 'index.html' : path);
    if (path.includes('..') || !existsSync(file)) return null;
    const body = readFileSync(file);
    const type = TYPES[extname(file)] ?? 'application/octet-stream';
    return path === '/' ? { type, body: withTiming(body.toString('utf8')) } : { type, body };
  });
  const page = await browser.newPage({ viewport: { width: 360, height: 480 } });
  page.on('pageerror', (error) => console.error(`example: ${error.message}`));
  await page.goto(`${server.origin}/?pilot`);
  await page.waitForFunction(`frameTimes.length >= ${FRAMES + WARM_UP_FRAMES}`, undefined, {
    timeout: 120_000,
    polling: 500,
  });
  const times = await page.evaluate<number[]>('frameTimes');
  await page.close();
  return times.slice(WARM_UP_FRAMES, WARM_UP_FRAMES + FRAMES);
}

/** The game's page with the measuring script before the bundled game. */
function withTiming(html: string): string {
  return html
    .replace(/(<script type="module"[^>]*src=")[^"]*/, '$1/game.js')
    .replace('<head>', `<head>${TIMING}`);
}

async function bundleGame(recorded: boolean): Promise<string> {
  const made = await rolldown({
    input: join(GAME, 'src/main.ts'),
    cwd: GAME,
    platform: 'browser',
    resolve: {
      conditionNames: ['svc-source', 'import', 'browser', 'default'],
      ...(!recorded && {
        alias: { '@svc/collector/overlay': NOTHING, '@svc/collector': NOTHING },
      }),
    },
  });
  const { output } = await made.generate({ format: 'esm', codeSplitting: false });
  await made.close();
  return output[0].code;
}
