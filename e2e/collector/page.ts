// Pages for the collector's tests: a TypeScript source is bundled, served cross-origin isolated on loopback, and opened in
// Chromium with WebGL and WebGPU on the software renderer.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { findBrowser, GPU_BROWSER_ARGS } from '../../scripts/find-browser.ts';
import { ROOT } from '../../scripts/workspaces.ts';

/** Serves further resources of a page: bytes with a media type, or null for 404. */
export type Files = (
  path: string,
) => { type: string; body: Buffer | string; headers?: Record<string, string> } | null;

/** A page under test. Disposing of it closes everything. */
export type GamePage = AsyncDisposable & {
  readonly page: Page;
  readonly origin: string;
  /** The requested paths, in order. */
  readonly requests: string[];
  /** Uncaught errors and console output of the page. */
  readonly heard: string[];
};

const ISOLATED = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
};

/** Bundles module source, which can import `@svc/collector`, its subpaths and npm packages. */
export async function bundle(source: string, format: 'esm' | 'iife' = 'esm'): Promise<string> {
  const entry = join(ROOT, 'e2e/collector/entry-of-test.ts');
  const made = await rolldown({
    input: entry,
    cwd: ROOT,
    platform: 'browser',
    resolve: { conditionNames: ['svc-source', 'import', 'browser', 'default'] },
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? id : null),
        load: (id) => (id === entry ? source : null),
      },
    ],
  });
  const { output } = await made.generate({ format, codeSplitting: false });
  await made.close();
  return output[0].code;
}

/** Opens a page with the bundled `source` as its module script. */
export async function openPage(
  source: string,
  options: {
    files?: Files;
    html?: string;
    isolated?: boolean;
    /** More headers of the page itself. */
    headers?: Record<string, string>;
    browser?: Browser;
    /** Host name of the address, which the browser must resolve to loopback. */
    host?: string;
    before?: (page: Page) => Promise<void>;
  } = {},
): Promise<GamePage> {
  const code = await bundle(source);
  const html =
    options.html ??
    '<!doctype html><title>game</title><link rel="icon" href="data:,"><canvas id="c"></canvas><script type="module" src="/main.js"></script>';
  const requests: string[] = [];
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const path = request.url ?? '/';
    requests.push(path);
    const file =
      path === '/'
        ? { type: 'text/html', body: html, headers: options.headers ?? {} }
        : path === '/main.js'
          ? { type: 'text/javascript', body: code }
          : (options.files?.(path) ?? null);
    const headers = options.isolated === false ? {} : ISOLATED;
    if (file === null) response.writeHead(404, headers).end();
    else
      response
        .writeHead(200, { 'content-type': file.type, ...headers, ...file.headers })
        .end(file.body);
  };
  const server = createServer(answer);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const browser = options.browser ?? (await launch());
  const context = await browser.newContext();
  const page = await context.newPage();
  const heard: string[] = [];
  page.on('pageerror', (error) => heard.push(`error: ${error.message}`));
  page.on('console', (message) => heard.push(`${message.type()}: ${message.text()}`));
  await options.before?.(page);
  await page.goto(options.host === undefined ? origin : origin.replace('127.0.0.1', options.host));
  return {
    page,
    origin,
    requests,
    heard,
    async [Symbol.asyncDispose]() {
      await context.close();
      if (options.browser === undefined) await browser.close();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** A Chromium for several pages. */
export async function launch(...more: string[]): Promise<Browser> {
  const executablePath = findBrowser();
  if (executablePath === null) throw new Error('Cannot start a browser: none is installed');
  return chromium.launch({ executablePath, args: [...GPU_BROWSER_ARGS, ...more] });
}
