// The clock of a recording, in milliseconds. Bound when the module loads, so that a game that replaces `performance` later has no effect.

/** Milliseconds of the page's clock, comparable with event and entry times. Never throws and never goes backwards. */
export const now: () => number = neverBackwards(bindClock());

/** A page may replace its clock, or the clock may be set while it runs. No interval may become negative because of that. */
function neverBackwards(clock: () => number): () => number {
  let latest = 0;
  return () => {
    try {
      const time = clock();
      if (time > latest) latest = time;
    } catch {
      // The clock of a page may throw. Every call of the game that is timed reads it.
    }
    return latest;
  };
}

function bindClock(): () => number {
  try {
    const clock = globalThis.performance.now.bind(globalThis.performance);
    clock();
    return clock;
  } catch {
    return Date.now;
  }
}
