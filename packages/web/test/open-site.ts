// Starts a platform in --dev mode and the site, and opens minimal browsers.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPlatformClient, type PlatformClient } from '@svc/contracts/platform';
import { logTo } from '@svc/observe/testing';
import {
  type PlatformOptions,
  type RunningPlatform,
  readSettings,
  startPlatform,
} from '@svc/platform';
import { giveRole, signIn } from '@svc/platform/testing';
import { type RunningWeb, startWeb, type WebOptions } from '../src/index.ts';

export type Site = AsyncDisposable & {
  readonly platform: RunningPlatform;
  readonly web: RunningWeb;
  readonly origin: string;
  /** Gives a user the role of an administrator. */
  makeAdmin(uid: string): Promise<void>;
  /** Log lines of both servers. A line that starts with `internal` fails the test at its end. */
  readonly lines: string[];
  /** An API client for a signed-in user. `baseUrl` replaces the address that the API reports. */
  developer(
    name: string,
    baseUrl?: string,
  ): Promise<{ uid: string; client: PlatformClient; idToken: string }>;
};

type SiteOptions = { platform?: Partial<PlatformOptions>; web?: Partial<WebOptions> };

const PORT_TRIES = 5;

/** Starts both. The free port can be taken before the site listens, so this is tried twice. */
export async function openSite(options: SiteOptions = {}): Promise<Site> {
  for (let tries = 1; ; tries++) {
    try {
      return await openOnce(options, await freePort());
    } catch (error) {
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
      if (!isTaken || tries === PORT_TRIES) throw error;
    }
  }
}

async function openOnce(options: SiteOptions, port: number): Promise<Site> {
  await using opening = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-web-'));
  opening.defer(() => rm(dataDir, { recursive: true, force: true }));
  const lines: string[] = [];
  const log = logTo((line) => lines.push(line));
  const origin = `http://127.0.0.1:${port}`;
  const settings = { ...readSettings({}), webOrigin: origin };
  const platform = opening.use(
    await startPlatform({ dev: true, port: 0, dataDir, settings, log, ...options.platform }),
  );
  const web = opening.use(await startWeb({ apiUrl: platform.baseUrl, port, log, ...options.web }));
  const open = opening.move();
  return {
    platform,
    web,
    origin,
    makeAdmin: (uid) => giveRole({ dataDir, settings: { databaseUrl: null } }, uid, 'admin'),
    lines,
    async developer(name, baseUrl = platform.baseUrl) {
      const idToken = await signIn(platform.issuer, platform.clientId, name);
      const client = createPlatformClient({
        baseUrl,
        send: fetch,
        credential: () => idToken,
      });
      const { user } = await client.call('openSession', {
        body: { id_token: idToken, role: 'developer' },
      });
      return { uid: user.uid, client, idToken };
    },
    async [Symbol.asyncDispose]() {
      await open.disposeAsync();
      const faults = lines.filter((line) => line.startsWith('internal'));
      if (faults.length > 0) throw new Error(`A server failed inside:\n${faults.join('\n')}`);
    },
  };
}

/** Returns a free port. Both servers must know the site's address before it listens. */
async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}
