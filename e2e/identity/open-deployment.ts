// An API and a store for identity providers, as an operator deploys them: both read their settings from one environment.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logTo } from '@svc/observe/testing';
import { type RunningPlatform, readSettings, startPlatform } from '@svc/platform';
import { type RunningWeb, readSettings as readStoreSettings, startWeb } from '@svc/web';

export type Deployment = AsyncDisposable & {
  readonly platform: RunningPlatform;
  readonly store: RunningWeb;
  /** The lines of the logs of both. */
  readonly lines: string[];
};

/** Starts both with the settings. The addresses of the store and of games are set here. */
export async function openDeployment(
  environment: Readonly<Record<string, string>>,
): Promise<Deployment> {
  await using opening = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-identity-'));
  opening.defer(() => rm(dataDir, { recursive: true, force: true }));
  const lines: string[] = [];
  const log = logTo((line) => lines.push(line));
  const all = {
    SVC_WEB_ORIGIN: 'https://games.example',
    SVC_DEVELOPER_SIGNUP: 'open',
    ...environment,
  };
  const settings = readSettings(all);
  const platform = opening.use(await startPlatform({ port: 0, dataDir, settings, log }));
  const { clients } = readStoreSettings(all);
  const store = opening.use(await startWeb({ apiUrl: platform.baseUrl, port: 0, clients, log }));
  const opened = opening.move();
  return {
    ...{ platform, store, lines },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
