// Records a game in a browser: starts the browser, follows its pages and workers, and writes one trace.

import { setTimeout as delay } from 'node:timers/promises';
import { DREW_NOTHING } from '@svc/trace';
import type { Browser } from 'puppeteer-core';
import { followTargets } from './browser/follow-targets.ts';
import { graphicsAdapter } from './browser/graphics-adapter.ts';
import { type LaunchOptions, launchBrowser } from './browser/launch-browser.ts';
import { loadPage, openPage, type PageOptions } from './browser/open-page.ts';
import { type Ending, watchEnding } from './browser/watch-ending.ts';
import { FunctionTrace } from './functions/function-trace.ts';
import type { Counts } from './game/merge-records.ts';
import { type PageReports, PageTrace, type TraceHeader } from './game/page-trace.ts';
import { type InputCounts, type InputOptions, InputSession } from './input-session.ts';
import { RecordError } from './record-error.ts';
import { faultText } from './start/start-fault.ts';
import type { StartWatch } from './start/start-watch.ts';

export type RecordOptions = LaunchOptions &
  PageOptions &
  InputOptions & {
    /** The page to open. */
    readonly url: string;
    /** What is left out of names: the address of a local build. Null for a page on the web. */
    readonly base: string | null;
    /** The digest of the recorded build, for the header of the trace. Null if it is unknown. */
    readonly digest: string | null;
    /** The path of the trace. */
    readonly output: string;
    /** Whether functions are recorded. */
    readonly stacks: boolean;
    /** The version of the program that records, for the header of the trace. */
    readonly version: string;
    /** Ends the recording. */
    readonly signal: AbortSignal;
    /** Called when the page has loaded. */
    readonly onStart?: () => void;
    /** Called about once per second. */
    readonly onProgress?: (counts: Counts) => void;
    /** Called when the page has ended, before the functions are read. */
    readonly onEnding?: () => void;
    /** Learns when the page begins to load and when it first draws, and follows what the recording follows. */
    readonly watch?: StartWatch;
  };

/** What was recorded, and why the recording ended. After a crash the trace has everything before it. */
export type Recorded = Counts & Ending & { readonly input: InputCounts };

const PROGRESS_MS = 1_000;
/** Longest time in which the browser sends the functions. */
const FUNCTIONS_MS = 120_000;

/**
 * Records until the signal is aborted, the page is closed, or the tab or the browser crashes. Throws a RecordError if nothing can
 * be recorded; then there is no file. Throws Node's error if the file cannot be written; what was written is kept.
 */
export async function recordGame(options: RecordOptions): Promise<Recorded> {
  const { url, base, output, stacks, size, watch } = options;
  await using launched = await launchBrowser(options);
  const { browser } = launched;
  const scriptEnd = new AbortController();
  using ending = watchEnding(browser, AbortSignal.any([options.signal, scriptEnd.signal]));
  const header = await headerFor(browser, options);
  using input = new InputSession(options, size, ending.fault);
  using trace = new PageTrace(output, base, header, reportsTo(input, watch, ending.fault));
  const watches = watch === undefined ? [trace] : [trace, watch];
  if (watch !== undefined) {
    watch.onFound = (found, isOwn) => trace.putLog(isOwn ? 'error' : 'warn', faultText(found));
  }
  const connection = await followTargets(browser, watches);
  const functions = stacks ? new FunctionTrace(connection, trace) : null;
  const page = await openPage(browser, options);
  // Only now: a process that has ended delays the end of a trace by seconds.
  await functions?.start();
  ending.watch(page);
  input.begin({
    page,
    onEnd: () => scriptEnd.abort(),
    moveGamepad: (step) => trace.moveGamepad(step),
  });
  watch?.begin();
  await Promise.race([ending.promise, loadPage(page, url, () => trace.hasBegun)]);
  options.onStart?.();
  const timer = setInterval(() => options.onProgress?.(trace.counts), PROGRESS_MS);
  try {
    const end = await ending.promise;
    if (!trace.hasBegun) throw end.failure ?? nothingRecorded();
    options.onEnding?.();
    input.end();
    await trace.endDocuments();
    if (watch?.state.first_frame_ms === null) trace.putLog('error', DREW_NOTHING, 0);
    const whole =
      end.failure?.code === 'browser_crashed' ? end : await readFunctions(functions, end);
    trace.commit(whole.failure === null ? whole.ended : null);
    input.commit();
    return { ...trace.counts, ...whole, input: input.counts };
  } catch (error) {
    trace.keep();
    input.keep();
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/** What the trace reports to the player and to a start test. */
function reportsTo(
  input: InputSession,
  watch: StartWatch | undefined,
  onFault: (error: unknown) => void,
): PageReports {
  const { wanted } = input;
  const onFirstDraw = (ago_ms: number): void => {
    watch?.firstDraw(ago_ms);
    input.firstDraw(ago_ms);
  };
  return {
    ...{ onFault, gamepads: wanted.gamepads },
    onFirstDraw: watch !== undefined || wanted.firstDraw ? onFirstDraw : undefined,
    onInput: wanted.input ? (at, step) => input.put(at, step) : undefined,
  };
}

async function headerFor(
  browser: Browser,
  { version, digest }: Pick<RecordOptions, 'version' | 'digest'>,
): Promise<TraceHeader> {
  const gpu = await graphicsAdapter(browser);
  return {
    producer: { name: 'svc record', version },
    ...(gpu && { gpu }),
    ...(digest !== null && { build: { digest } }),
  };
}

/** Adds the functions to the trace. The browser may crash or hang while it sends them. */
async function readFunctions(functions: FunctionTrace | null, end: Ending): Promise<Ending> {
  if (functions === null) return end;
  const read = functions.end().then(
    () => true,
    () => false,
  );
  if (await Promise.race([read, delay(FUNCTIONS_MS, false, { ref: false })])) return end;
  const failure = new RecordError(
    'browser_crashed',
    'The browser ended, or did not answer, before it had sent the functions.',
    'Record again, for a shorter time or with --no-stacks.',
  );
  return { ended: 'crashed', failure };
}

function nothingRecorded(): RecordError {
  return new RecordError(
    'nothing_recorded',
    'The recording ended before the page began to run, so there is no trace.',
    'Record for longer.',
  );
}
