// Gives the functions of a recorded build the names of its source, from the source maps beside its scripts.
import type { Documents } from '../../documents.ts';
import { safeText } from '../../output/text.ts';
import type { Io } from '../../process/io.ts';
import { openMaps } from '../../trace/open-maps.ts';
import { symbolicateTrace } from '../../trace/symbolicate-trace.ts';
import { openTarget } from '../../trace/write-target.ts';

export type Named = NonNullable<Documents['record']['symbols']>;

/** The most maps that are reported. */
const MOST_REPORTED = 5;

/**
 * Replaces the trace by one with the names, if there are any. `build` is the folder or ZIP. Returns null if no function is named.
 * `warn` is called for each map that cannot be used, five at most.
 * Throws an ExitError (1) if a file cannot be read or written; the trace is as before then.
 */
export async function nameFunctions(
  trace: string,
  build: string,
  io: Io,
  warn: (text: string) => void,
): Promise<Named | null> {
  await using maps = await openMaps(build, io.cwd);
  await using target = openTarget(trace, io);
  await symbolicateTrace(trace, maps.symbols, target, io);
  const { functions, resolved, warnings } = maps.symbols.report();
  for (const { path, message } of warnings.slice(0, MOST_REPORTED)) {
    warn(`Cannot use ${safeText(path)}: ${message}.`);
  }
  if (resolved === 0) return null;
  await target.commit();
  return { functions, resolved };
}
