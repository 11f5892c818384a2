// Starts the agent on loopback, a target process, and Chromium with the viewer.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Agent, type AgentOptions, readViewer, startAgent } from '@svc/agent';
import { type Browser, chromium, type Page } from 'playwright-core';
import { BROWSER_ARGS, findBrowser } from '../../scripts/find-browser.ts';
import { ROOT } from '../../scripts/workspaces.ts';

/** A viewer page with its agent. Disposing of it closes everything. */
export type Viewer = AsyncDisposable & {
  readonly page: Page;
  readonly agent: Agent;
  /** The target process; null if there is none. */
  readonly target: ChildProcess | null;
  /** Uncaught errors, failed requests and console errors of the page. A test must assert that there are none. */
  readonly faults: string[];
  readonly folder: string;
};

export type ViewerOptions = {
  /** Whether to start a target process. */
  readonly target?: boolean;
  /** A trace that the agent opens. */
  readonly file?: string;
  readonly size?: { readonly width: number; readonly height: number };
  readonly dark?: boolean;
  readonly agent?: Partial<AgentOptions>;
};

/** The reason why browser tests can't run on this machine; false if they can. */
export const noBrowser: string | false =
  findBrowser() === null ? 'no Chromium on this machine' : false;

/** Uses some CPU and memory, so that its chart moves. */
const BUSY = `const held = []; setInterval(() => { const end = Date.now() + 20; while (Date.now() < end); held.push(Buffer.alloc(500_000, 1)); if (held.length > 40) held.length = 0; }, 100);`;

export async function openViewer(options: ViewerOptions = {}): Promise<Viewer> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-viewer-'));
  const target = options.target ? spawn(process.execPath, ['-e', BUSY], { stdio: 'ignore' }) : null;
  const agent = await startAgent({
    viewer: () => readViewer(join(ROOT, 'packages/viewer/dist')),
    port: 0,
    pid: target?.pid ?? null,
    startTicks: null,
    program: null,
    launched: false,
    start: false,
    file: options.file ?? null,
    dataDir: join(folder, 'data'),
    ttlMs: 600_000,
    storageCapBytes: 64 * 1024 * 1024,
    importLimitBytes: 2 ** 31,
    pssIntervalMs: 1000,
    probes: [],
    follow: null,
    providerUrl: null,
    env: {},
    version: '0.0.0-test',
    ...options.agent,
  });
  const browser = await launchBrowser();
  const context = await browser.newContext({
    viewport: options.size ?? { width: 1440, height: 900 },
    colorScheme: options.dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const faults = listen(page);
  await page.goto(agent.url);
  return {
    page,
    agent,
    target,
    faults,
    folder,
    async [Symbol.asyncDispose]() {
      await browser.close();
      agent.end('signal');
      await agent.ended;
      target?.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A Chromium without network access. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: findBrowser() ?? '', args: [...BROWSER_ARGS] });
}

function listen(page: Page): string[] {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`uncaught: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`console: ${message.text()}`);
  });
  return faults;
}

/** Opens a file with the page's dialog. */
export async function pickFile(
  page: Page,
  file: { name: string; text: string } | string,
): Promise<void> {
  const asked = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Open…', exact: true }).click();
  const chooser = await asked;
  await chooser.setFiles(
    typeof file === 'string'
      ? file
      : { name: file.name, mimeType: 'text/plain', buffer: Buffer.from(file.text) },
  );
}

/** Drops a file on the page. */
export async function dropFile(page: Page, name: string, text: string): Promise<void> {
  const transfer = await page.evaluateHandle(
    ([fileName, body]) => {
      const made = new DataTransfer();
      made.items.add(new File([body ?? ''], fileName ?? '', { type: 'text/plain' }));
      return made;
    },
    [name, text],
  );
  for (const type of ['dragenter', 'dragover', 'drop']) {
    await page.dispatchEvent('body', type, { dataTransfer: transfer });
  }
}
