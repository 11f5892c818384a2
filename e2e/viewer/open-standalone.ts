// Builds the viewer without an agent into a temporary folder, serves it, and opens it in Chromium.
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { after, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import {
  type BuiltFile,
  buildStandalone,
  FILE,
  SITE,
} from '../../packages/viewer/scripts/build-standalone.ts';
import { launchBrowser } from './open-viewer.ts';

/** A build. Its folders are removed after the test. */
export type Standalone = {
  /** The path of the one file. */
  readonly file: string;
  /** The folder of the site. */
  readonly site: string;
  /** The sizes in bytes by path. */
  readonly sizes: ReadonlyMap<string, number>;
};

/** One build serves all tests of a file. Each gets a copy. */
let build: Promise<BuiltFile[]> | null = null;
const original = join(tmpdir(), `svc-standalone-build-${process.pid}`);
after(() => rm(original, { recursive: true, force: true }));

export async function buildHere(t: TestContext): Promise<Standalone> {
  build ??= buildStandalone(original);
  const built = await build;
  const folder = await mkdtemp(join(tmpdir(), 'svc-standalone-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await cp(original, folder, { recursive: true });
  return {
    file: join(folder, FILE),
    site: join(folder, SITE),
    sizes: new Map(built.map(({ path, bytes }) => [path, bytes])),
  };
}

/** A page, its faults, and the addresses that it requested over a network. */
export type Opened = {
  readonly page: Page;
  /** Uncaught errors and console errors, which include violations of the policy. */
  readonly faults: string[];
  readonly requested: string[];
};

/** Opens a file of this machine, or an address. */
export async function openPage(t: TestContext, target: string, dark = false): Promise<Opened> {
  const browser = await launchBrowser();
  t.after(() => browser.close());
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`uncaught: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`console: ${message.text()}`);
  });
  const requested = await watchNetwork(page);
  await page.goto(target.startsWith('http') ? target : pathToFileURL(target).href);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return { page, faults, requested };
}

/** The network events of the browser, for every address that is not a file, a blob or data. */
async function watchNetwork(page: Page): Promise<string[]> {
  const requested: string[] = [];
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const note = (url: string): void => {
    if (!/^(?:file|blob|data):/.test(url)) requested.push(url);
  };
  session.on('Network.requestWillBeSent', ({ request }) => note(request.url));
  session.on('Network.webSocketCreated', ({ url }) => note(url));
  page.context().on('request', (request) => note(request.url()));
  return requested;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
};

export type Served = {
  /** Ends with `/`. */
  readonly address: string;
  /** The paths that were requested, in order. */
  readonly paths: string[];
  /** Stops answering, like a computer without a network. */
  stop(): Promise<void>;
};

/** Serves a folder below a path, like any static host. */
export async function serveFolder(t: TestContext, folder: string, path = '/'): Promise<Served> {
  const paths: string[] = [];
  const server = createServer(async (request, response) => {
    const asked = new URL(request.url ?? '/', 'http://host').pathname;
    paths.push(asked);
    const rest = asked.startsWith(path) ? asked.slice(path.length) || 'index.html' : 'none';
    try {
      const body = await readFile(join(folder, rest));
      response.setHeader('content-type', TYPES[extname(rest)] ?? 'application/octet-stream');
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const stop = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = Promise.withResolvers<void>();
    server.close(() => closed.resolve());
    server.closeAllConnections();
    await closed.promise;
  };
  t.after(stop);
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    paths,
    stop,
  };
}
