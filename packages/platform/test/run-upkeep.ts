// Runs the upkeep in tests that do not wait for that of the server.
import { PLATFORM_LIMITS, type PlatformLimits } from '@svc/contracts/platform';
import { NO_LOG } from '@svc/observe';
import type { Upkeep } from '../src/platform.ts';
import { openStores } from '../src/start/open-stores.ts';
import { startUpkeep } from '../src/storage/upkeep.ts';
import type { OpenPlatform } from './open-platform.ts';

/**
 * Does all upkeep that is due, as a process beside the server. `atMs` is the time of its clock; the default is now. `limits` are those that
 * differ from the defaults.
 */
export async function runUpkeep(
  options: Pick<OpenPlatform, 'dataDir' | 'settings'>,
  atMs?: number,
  limits: Partial<PlatformLimits> = {},
): Promise<void> {
  await using upkeep = await openUpkeep(options, () => atMs ?? Date.now(), limits);
  await upkeep.run();
}

/** Opens the upkeep of a process that does nothing else. Disposing of it ends it. */
export async function openUpkeep(
  { dataDir, settings }: Pick<OpenPlatform, 'dataDir' | 'settings'>,
  now: () => number = Date.now,
  limits: Partial<PlatformLimits> = {},
): Promise<Upkeep> {
  await using opening = new AsyncDisposableStack();
  const stores = opening.use(await openStores({ dataDir, settings, log: NO_LOG }));
  const upkeep = opening.use(
    startUpkeep({ ...stores, now, limits: { ...PLATFORM_LIMITS, ...limits } }),
  );
  const open = opening.move();
  return { ...upkeep, [Symbol.asyncDispose]: () => open.disposeAsync() };
}
