// Runs the upkeep in tests that do not wait for that of the server.
import { PLATFORM_LIMITS } from '@svc/contracts/platform';
import type { Upkeep } from '../src/platform.ts';
import { openStores } from '../src/start/open-stores.ts';
import { startUpkeep } from '../src/storage/upkeep.ts';
import type { OpenPlatform } from './open-platform.ts';

/** Does all upkeep that is due, as a process beside the server. */
export async function runUpkeep(
  options: Pick<OpenPlatform, 'dataDir' | 'settings'>,
): Promise<void> {
  await using upkeep = await openUpkeep(options);
  await upkeep.run();
}

/** Opens the upkeep of a process that does nothing else. Disposing of it ends it. */
export async function openUpkeep({
  dataDir,
  settings,
}: Pick<OpenPlatform, 'dataDir' | 'settings'>): Promise<Upkeep> {
  await using opening = new AsyncDisposableStack();
  const stores = opening.use(await openStores({ dataDir, settings, log: () => {} }));
  const upkeep = opening.use(startUpkeep({ ...stores, now: Date.now, limits: PLATFORM_LIMITS }));
  const open = opening.move();
  return { ...upkeep, [Symbol.asyncDispose]: () => open.disposeAsync() };
}
