// Tests whether a game starts, and records it meanwhile.
import { setTimeout as delay } from 'node:timers/promises';
import { RecordError } from './record-error.ts';
import { type Recorded, type RecordOptions, recordGame } from './record-game.ts';
import { type StartState, StartWatch } from './start/start-watch.ts';

export type StartOptions = Omit<RecordOptions, 'watch' | 'base' | 'onStart' | 'onEnding'> & {
  /** The address of the game, which is left out of names. */
  readonly base: string;
  /** How long a game that has started is recorded, in seconds. */
  readonly seconds: number;
};

/** What a test found. The game starts if there are no faults. */
export type StartTest = StartState & {
  /** The recording, from the load of the page on. Null if the page did not begin to run. */
  readonly recorded: Recorded | null;
};

/**
 * Opens the game, waits for its first frame, and records it. Ends early if the game does not start. Throws a RecordError if there
 * is no browser or the page cannot be reached.
 */
export async function testStart({ seconds, ...options }: StartOptions): Promise<StartTest> {
  using watch = new StartWatch(options.base);
  const ending = new AbortController();
  const signal = AbortSignal.any([options.signal, ending.signal]);
  const end = async (): Promise<void> => {
    await watch.judged;
    if (watch.state.faults.length === 0) await delay(seconds * 1000, undefined, { signal });
    ending.abort();
  };
  end().catch(() => {});
  try {
    const recorded = await recordGame({ ...options, signal, watch });
    const { failure } = recorded;
    if (failure !== null) watch.crashed(failure.message);
    return { ...watch.state, recorded };
  } catch (error) {
    const isSilent = error instanceof RecordError && error.code === 'nothing_recorded';
    if (!isSilent || options.signal.aborted) throw error;
    return { ...watch.state, recorded: null };
  }
}
