// Runs one of the pages in this folder in a browser and returns the result of its `run`.
import { readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { type Browser, type CDPSession, chromium } from 'playwright-core';
import { rolldown } from 'rolldown';
import { findBrowser, GPU_BROWSER_ARGS } from '../../scripts/find-browser.ts';
import { ROOT } from '../../scripts/workspaces.ts';
import { serveIsolated } from './serve-isolated.ts';

const HTML =
  '<!doctype html><link rel="icon" href="data:,"><canvas width="64" height="64"></canvas><script type="module" src="/page.js"></script>';
const bundles = new Map<string, Promise<string>>();

/** Chromium with WebGL on the software renderer. Disposing of it closes it. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = findBrowser();
  if (executablePath === null) throw new Error('Cannot start a browser: none is installed');
  return chromium.launch({ executablePath, args: [...GPU_BROWSER_ARGS] });
}

/**
 * Calls `run(…args)` of `NAME-page.ts` in a new page. Returns its result and the time of style and layout in ms, measured
 * from the page's `globalThis.warm` if it has one.
 */
export async function runPage<Result>(
  browser: Browser,
  name: string,
  ...args: readonly (number | boolean)[]
): Promise<{ readonly result: Result; readonly layoutMs: number }> {
  const code = await bundleOnce(join(import.meta.dirname, `${name}-page.ts`));
  await using server = await serveIsolated((path) => {
    if (path === '/') return { type: 'text/html', body: HTML };
    if (path !== '/page.js') return null;
    const body = `${code.replace(/export\s*\{[^}]*\};?\s*$/, '')}\nglobalThis.result = run(${args.join()});`;
    return { type: 'text/javascript', body };
  });
  const page = await browser.newPage();
  page.on('pageerror', (error) => console.error(`${name}: ${error.message}`));
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable');
  await page.goto(server.origin);
  await putFirst(browser);
  await page.evaluate('globalThis.warm');
  const before = await layoutTime(devtools);
  const result = await page.evaluate<Result>('globalThis.result');
  const layoutMs = (await layoutTime(devtools)) - before;
  await page.close();
  return { result, layoutMs };
}

/** Raises the priority of the pages' main threads if permitted, because interruptions are not caused by the tool. */
export async function putFirst(browser: Browser): Promise<void> {
  const devtools = await browser.newBrowserCDPSession();
  const { processInfo } = await devtools.send('SystemInfo.getProcessInfo');
  for (const { id } of processInfo.filter(({ type }) => type === 'renderer')) {
    try {
      setPriority(id, constants.priority.PRIORITY_HIGHEST);
    } catch {
      // Only root is permitted. The results of the empty page show the effect.
    }
  }
  await devtools.detach();
}

async function layoutTime(devtools: CDPSession): Promise<number> {
  const { metrics } = await devtools.send('Performance.getMetrics');
  const seconds = metrics
    .filter(({ name }) => name === 'LayoutDuration' || name === 'RecalcStyleDuration')
    .reduce((sum, { value }) => sum + value, 0);
  return seconds * 1000;
}

function bundleOnce(input: string): Promise<string> {
  const code = bundles.get(input) ?? bundle(input, false);
  bundles.set(input, code);
  return code;
}

/** Bundles a module with its imports, and the collector from its source. */
export async function bundle(input: string, minify: boolean): Promise<string> {
  const made = await rolldown({
    input,
    cwd: join(ROOT, 'bench'),
    platform: 'browser',
    external: ['three'],
    resolve: { conditionNames: ['svc-source', 'import', 'browser', 'default'] },
  });
  const { output } = await made.generate({ format: 'esm', codeSplitting: false, minify });
  await made.close();
  return output[0].code;
}

/** The version of an installed peer. */
export function versionOf(name: string): string {
  const manifest = join(ROOT, 'bench/node_modules', name, 'package.json');
  return JSON.parse(readFileSync(manifest, 'utf8')).version;
}
