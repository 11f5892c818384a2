// The clock of a recording, in milliseconds. Taken at start, so that a game that replaces `performance` later is not heard.

/** Milliseconds on the page's own time line: comparable with event and entry times. Never throws, never goes backwards. */
export const now: () => number = neverBackwards(bindClock());

/** A page may have a clock of its own making, or one that is set while it runs: no time may become negative by that. */
function neverBackwards(clock: () => number): () => number {
  let latest = 0;
  return () => {
    const time = clock();
    if (time > latest) latest = time;
    return latest;
  };
}

function bindClock(): () => number {
  try {
    const clock = globalThis.performance.now.bind(globalThis.performance);
    clock();
    return clock;
  } catch {
    return () => Date.now();
  }
}
