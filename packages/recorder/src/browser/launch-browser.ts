// Starts a browser with a fresh profile. The protocol runs through a pipe, so no other program can control the browser.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import puppeteer, { type Browser } from 'puppeteer-core';
import { RecordError } from '../record-error.ts';

export type LaunchOptions = {
  /** The program of the browser, see `findBrowser`. */
  readonly browser: string;
  readonly headless: boolean;
  /** The size of the window in CSS pixels. */
  readonly size: Size;
  /** Whether this process runs as root. Chrome's sandbox does not work then. */
  readonly isRoot: boolean;
};

export type Size = { readonly width: number; readonly height: number };

/** Disposing of it ends the browser and removes its profile. */
export type Launched = AsyncDisposable & { readonly browser: Browser };

const PROFILE = 'svc-browser-';
const START_MS = 30_000;
const CLOSE_MS = 10_000;
/** The height of the tabs and the address bar. */
const BARS_PX = 90;

/** Throws a RecordError (`browser_not_started`) with the last words of the browser. */
export async function launchBrowser(options: LaunchOptions): Promise<Launched> {
  removeOldProfiles();
  const profile = mkdtempSync(join(tmpdir(), `${PROFILE}${process.pid}-`));
  const removeProfile = (): void => {
    try {
      rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    } catch {
      // A process of the browser still writes. The next recording removes it.
    }
  };
  try {
    const browser = await puppeteer.launch({
      executablePath: options.browser,
      headless: options.headless,
      pipe: true,
      userDataDir: profile,
      defaultViewport: null,
      networkEnabled: false,
      waitForInitialPage: false,
      timeout: START_MS,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      args: argumentsOf(options),
    });
    return {
      browser,
      async [Symbol.asyncDispose]() {
        const isClosed = browser.close().then(
          () => true,
          () => false,
        );
        const isLate = delay(CLOSE_MS, false, { ref: false });
        if (!(await Promise.race([isClosed, isLate]))) browser.process()?.kill('SIGKILL');
        removeProfile();
      },
    };
  } catch (error) {
    removeProfile();
    throw new RecordError(
      'browser_not_started',
      `The browser "${options.browser}" does not start: ${lastWords(error)}.`,
      options.headless
        ? 'Start it by itself to see why, or name another one with --browser PATH.'
        : 'On a machine without a display, add --headless.',
      error,
    );
  }
}

function argumentsOf({ size, isRoot, headless }: LaunchOptions): string[] {
  const height = headless ? size.height : size.height + BARS_PX;
  return [
    `--window-size=${size.width},${height}`,
    '--disable-quic',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
    // The page of the game is the first one. The browser stays when its window is closed, so that the functions can be read.
    '--no-startup-window',
    // WebGL works without a graphics card, but in software.
    '--enable-unsafe-swiftshader',
    ...(isRoot ? ['--no-sandbox'] : []),
  ];
}

/** The first line of the browser's output that states a reason. */
function lastWords(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const lines = text.split('\n').map((line) => line.trim());
  const reason = lines.find((line) => /error|fatal|missing|cannot|denied|no such/i.test(line));
  return (reason ?? lines[0] ?? '').replace(/^\[[^\]]*\]\s*/, '').replace(/\.$/, '');
}

/** Removes the profiles of processes that were killed before they could remove them. */
function removeOldProfiles(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(new RegExp(`^${PROFILE}(\\d+)-`).exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(pid) || isAlive(pid)) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // It belongs to another user.
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
