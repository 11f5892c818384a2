// Starts a platform in --dev mode, the site and Chromium.
import { openSite, type Site } from '@svc/web/testing';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import type { PlatformClient } from '../../packages/contracts/src/platform.ts';
import { BROWSER_ARGS, findBrowser } from '../../scripts/find-browser.ts';

/** The reason why browser tests can't run on this machine; false if they can. */
export const noBrowser: string | false =
  findBrowser() === null ? 'no Chromium on this machine' : false;

export type Store = AsyncDisposable & {
  readonly site: Site;
  readonly browser: Browser;
  /** Uncaught errors, console errors (including policy violations) and dialogs of all pages. */
  readonly faults: string[];
  /** Opens a page in a new browser context without a session. */
  visitor(options?: Parameters<Browser['newContext']>[0]): Promise<Page>;
  /** Opens a page of a user who has signed in at the provider. */
  person(name: string): Promise<Page>;
  /** Creates a developer: a page with their session, and an API client with their token. */
  owner(name: string): Promise<{ page: Page; client: PlatformClient; uid: string }>;
  /** Opens another page with the session and address of this one, without JavaScript. */
  withoutScripts(page: Page): Promise<Page>;
};

export async function openStore(): Promise<Store> {
  const site = await openSite();
  const browser = await chromium.launch({
    executablePath: findBrowser() ?? '',
    args: [...BROWSER_ARGS],
  });
  const faults: string[] = [];
  const visitor: Store['visitor'] = async (options) => {
    const context: BrowserContext = await browser.newContext({
      reducedMotion: 'reduce',
      ...options,
    });
    context.on('page', (page) => watch(page, faults));
    const page = await context.newPage();
    return page;
  };
  const store: Store = {
    site,
    browser,
    faults,
    visitor,
    async person(name) {
      const page = await visitor();
      await page.goto(site.origin);
      await page.getByRole('link', { name: 'Sign in' }).click();
      await page.getByLabel('Your name').fill(name);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.waitForURL(`${site.origin}/**`);
      return page;
    },
    async owner(name) {
      const { client, uid } = await site.developer(name);
      return { page: await store.person(name), client, uid };
    },
    async withoutScripts(page) {
      const plain = await visitor({ javaScriptEnabled: false });
      await plain.context().addCookies(await page.context().cookies());
      await plain.goto(page.url());
      return plain;
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await site[Symbol.asyncDispose]();
    },
  };
  return store;
}

function watch(page: Page, faults: string[]): void {
  page.on('pageerror', (error) => faults.push(`uncaught: ${error.message}`));
  page.on('console', (message) => {
    // The development provider has no icon.
    if (message.location().url.endsWith('/favicon.ico')) return;
    if (message.type() === 'error') faults.push(`console: ${message.text()}`);
  });
  page.on('dialog', (dialog) => {
    // The pages ask only for confirmation to leave. Other dialogs come from an injected script.
    if (dialog.type() !== 'beforeunload') faults.push(`dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => {});
  });
}
