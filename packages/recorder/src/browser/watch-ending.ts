// Why a recording ends: the user ends it, the page is closed, or something crashes.
import type { Browser, Page } from 'puppeteer-core';
import { RecordError } from '../record-error.ts';

export type Ending =
  | { readonly ended: 'stopped' | 'closed'; readonly failure: null }
  | { readonly ended: 'crashed'; readonly failure: RecordError };

export type EndingWatch = Disposable & {
  /** Resolves with the first reason. Rejects with the first fault. */
  readonly promise: Promise<Ending>;
  /** Watches a page as well. */
  watch(page: Page): void;
  /** Ends the recording with an error of this program. */
  fault(error: unknown): void;
};

/** Watches the browser and the signal. */
export function watchEnding(browser: Browser, signal: AbortSignal): EndingWatch {
  const { promise, resolve, reject } = Promise.withResolvers<Ending>();
  // It may be rejected before anybody awaits it.
  promise.catch(() => {});
  const stop = (): void => resolve({ ended: 'stopped', failure: null });
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  browser.once('disconnected', () => {
    resolve({ ended: 'crashed', failure: browserCrash() });
  });
  return {
    promise,
    watch(page) {
      page.once('close', () => resolve({ ended: 'closed', failure: null }));
      page.once('error', () => resolve({ ended: 'crashed', failure: tabCrash() }));
    },
    fault: reject,
    [Symbol.dispose]: () => signal.removeEventListener('abort', stop),
  };
}

function browserCrash(): RecordError {
  return new RecordError(
    'browser_crashed',
    'The browser has crashed or was killed.',
    'Record again with --no-stacks, or with another browser: --browser PATH.',
  );
}

function tabCrash(): RecordError {
  return new RecordError(
    'tab_crashed',
    'The tab of the game has crashed.',
    'The memory of the game before the crash is in the trace: a game that runs out of memory ends like this.',
  );
}
