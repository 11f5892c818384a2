// How a server's program ends: the first signal finishes what is in flight and closes, a second one ends at once.

/** A terminal's Ctrl-C comes twice where a shim passes it on: so soon after the first it is the same one. */
const SAME_SIGNAL_MS = 500;

/** Closes on SIGTERM and SIGINT, and ends the process. Call it before telling anybody that the server listens. */
export function closeOnSignal(close: () => Promise<void>): void {
  let closingSince: number | null = null;
  const onSignal = (): void => {
    if (closingSince !== null) {
      if (performance.now() - closingSince > SAME_SIGNAL_MS) process.exit(130);
      return;
    }
    closingSince = performance.now();
    close().then(() => process.exit(0), endWithError);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

/** Says what went wrong, without a stack, and ends the process with 1. */
export function endWithError(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
