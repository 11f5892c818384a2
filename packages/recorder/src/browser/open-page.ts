// Opens the page of the game, as the options say: its size, its speed, and whether it is shown as on a phone.
import type { Browser, Page } from 'puppeteer-core';
import { RecordError } from '../record-error.ts';
import type { Size } from './launch-browser.ts';

export type PageOptions = {
  readonly headless: boolean;
  readonly size: Size;
  /** Whether the page is shown as on a phone: with touch, and with the user agent and pixel ratio of one. */
  readonly mobile: boolean;
  /** How many times slower the page runs; 1 for the speed of the machine. */
  readonly cpuSlowdown: number;
};

const LOAD_MS = 30_000;
/** Pixels per CSS pixel of current phones. */
const PHONE_RATIO = 3;

/** Opens an empty page, the first one of the browser. */
export async function openPage(browser: Browser, options: PageOptions): Promise<Page> {
  const page = await browser.newPage();
  if (options.headless) {
    // Nobody can answer a dialog.
    page.on('dialog', (dialog) => void dialog.accept().catch(() => {}));
  }
  if (options.mobile) {
    await showAsPhone(page, options.size, await browser.version());
    if (!options.headless) await touchByMouse(page);
  }
  if (options.headless && !options.mobile) await page.setViewport(options.size);
  if (options.cpuSlowdown > 1) await page.emulateCPUThrottling(options.cpuSlowdown);
  return page;
}

async function showAsPhone(page: Page, size: Size, browserVersion: string): Promise<void> {
  const [, major = '120'] = /\/(\d+)/.exec(browserVersion) ?? [];
  await page.setViewport({
    ...size,
    deviceScaleFactor: PHONE_RATIO,
    isMobile: true,
    hasTouch: true,
    isLandscape: size.width > size.height,
  });
  await page.setUserAgent({
    userAgent: `Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Mobile Safari/537.36`,
    platform: 'Android',
  });
}

/** The mouse of the user is a finger on the phone. */
async function touchByMouse(page: Page): Promise<void> {
  // It ends with the session, so the session stays open.
  const session = await page.createCDPSession();
  await session.send('Emulation.setEmitTouchEventsForMouse', {
    enabled: true,
    configuration: 'mobile',
  });
}

/**
 * Loads the page until its document is parsed. A page that is not ready in time counts as loaded if its scripts run, which
 * `hasBegun` states. Throws a RecordError (`page_not_loaded`).
 */
export async function loadPage(page: Page, url: string, hasBegun: () => boolean): Promise<void> {
  try {
    await page.goto(url, { waitUntil: 'domcontentloaded', timeout: LOAD_MS });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if (/timeout/i.test(text) && hasBegun()) return;
    throw notLoaded(url, reasonOf(text), error);
  }
  const status = await statusOf(page);
  if (status >= 400) throw notLoaded(url, `the server answered with status ${status}`, undefined);
}

function notLoaded(url: string, reason: string, cause: unknown): RecordError {
  return new RecordError(
    'page_not_loaded',
    `The page ${url} does not load: ${reason}.`,
    'Check that the address is right and that the page opens in a browser.',
    cause,
  );
}

const REASONS: Readonly<Record<string, string>> = {
  ERR_CONNECTION_REFUSED: 'no server listens there',
  ERR_NAME_NOT_RESOLVED: 'the name of the host is unknown',
  ERR_INTERNET_DISCONNECTED: 'this machine has no network',
  ERR_CONNECTION_RESET: 'the server closed the connection',
  ERR_EMPTY_RESPONSE: 'the server closed the connection without an answer',
  ERR_TOO_MANY_REDIRECTS: 'it redirects in a circle',
  ERR_UNSAFE_PORT: 'browsers do not open this port',
  ERR_FILE_NOT_FOUND: 'the file does not exist',
};

/** A reason in plain words for a message such as `net::ERR_CONNECTION_REFUSED at http://…`. */
function reasonOf(message: string): string {
  const [, code = ''] = /net::(ERR_\w+)/.exec(message) ?? [];
  if (code.startsWith('ERR_CERT')) return `its certificate is not valid (${code})`;
  if (/timeout/i.test(message)) return `it is not there after ${LOAD_MS / 1000} seconds`;
  return REASONS[code] ?? (code || message);
}

/** The status of the answer, 0 if it is unknown. */
async function statusOf(page: Page): Promise<number> {
  try {
    return await page.evaluate(() => {
      const [entry] = performance.getEntriesByType('navigation');
      return Number(Reflect.get(entry ?? {}, 'responseStatus') ?? 0);
    });
  } catch {
    return 0;
  }
}
