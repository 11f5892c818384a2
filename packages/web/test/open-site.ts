// The site as people have it: a real platform in --dev, the site in front of it, and browsers without a screen.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPlatformClient, type PlatformClient } from '@svc/contracts/platform';
import {
  type PlatformOptions,
  type RunningPlatform,
  readSettings,
  startPlatform,
} from '@svc/platform';
import { signIn } from '../../platform/test/sign-in.ts';
import { type RunningWeb, startWeb, type WebOptions } from '../src/index.ts';

export type Site = AsyncDisposable & {
  readonly platform: RunningPlatform;
  readonly web: RunningWeb;
  readonly origin: string;
  /** Lines of both servers for their operator; one that begins with `internal` fails the test at the end. */
  readonly lines: string[];
  /** A client of the API for somebody who has signed in there. */
  developer(name: string): Promise<{ uid: string; client: PlatformClient; idToken: string }>;
};

export async function openSite(
  options: { platform?: Partial<PlatformOptions>; web?: Partial<WebOptions> } = {},
): Promise<Site> {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-web-'));
  const lines: string[] = [];
  const log = (line: string): void => {
    lines.push(line);
  };
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const settings = { ...readSettings({}), webOrigin: origin };
  const platform = await startPlatform({
    dev: true,
    port: 0,
    dataDir,
    settings,
    log,
    ...options.platform,
  });
  const web = await startWeb({ apiUrl: platform.baseUrl, port, log, ...options.web });
  return {
    platform,
    web,
    origin,
    lines,
    async developer(name) {
      const idToken = await signIn(platform.issuer, platform.clientId, name);
      const client = createPlatformClient({
        baseUrl: platform.baseUrl,
        send: fetch,
        credential: () => idToken,
      });
      const { user } = await client.call('openSession', {
        body: { id_token: idToken, role: 'developer' },
      });
      return { uid: user.uid, client, idToken };
    },
    async [Symbol.asyncDispose]() {
      await web.close();
      await platform.close();
      await rm(dataDir, { recursive: true, force: true });
      const faults = lines.filter((line) => line.startsWith('internal'));
      if (faults.length > 0) throw new Error(`A server failed inside:\n${faults.join('\n')}`);
    },
  };
}

/** A port that nobody listens on now: both servers must know the site's address before it listens. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}
