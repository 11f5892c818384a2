// Opens a platform for a test: its own folder, port 0, users who sign in at its provider.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPlatformClient, type PlatformClient } from '@svc/contracts/platform';
import { logTo } from '@svc/observe/testing';
import {
  type PlatformOptions,
  type RunningPlatform,
  readSettings,
  type Settings,
  startPlatform,
} from '../src/index.ts';
import { fetchWithinContract } from './contract-fetch.ts';
import { signIn } from './sign-in.ts';
import { newDatabase } from './start-postgres.ts';

export type Person = {
  readonly uid: string;
  readonly idToken: string;
  readonly client: PlatformClient;
};

export type OpenPlatform = AsyncDisposable & {
  readonly running: RunningPlatform;
  readonly baseUrl: string;
  readonly dataDir: string;
  readonly settings: Settings;
  /** Log lines of the server. A line that starts with `internal` fails the test at the end. */
  readonly lines: string[];
  /** A user who has signed in and opened a session. */
  person(name: string, role?: 'developer' | 'player'): Promise<Person>;
  clientWith(credential: string | null): PlatformClient;
};

/** Opens a platform. Disposing of it closes it and removes its folder. */
export async function openPlatform(options: Partial<PlatformOptions> = {}): Promise<OpenPlatform> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'svc-platform-')));
  const lines: string[] = [];
  const databaseUrl = await chooseDatabase();
  const settings = { ...readSettings({}), databaseUrl, storage: chooseStorage() };
  const running = await startPlatform({
    dev: true,
    port: 0,
    log: logTo((line) => lines.push(line)),
    settings,
    ...options,
    dataDir,
  });
  const { baseUrl } = running;
  const send = fetchWithinContract(baseUrl);
  const clientWith = (credential: string | null): PlatformClient =>
    createPlatformClient({ baseUrl, send, credential: () => credential });
  return {
    running,
    baseUrl,
    dataDir,
    settings: options.settings ?? settings,
    lines,
    clientWith,
    async person(name, role = 'developer') {
      const idToken = await signIn(running.issuer, running.clientId, name);
      const client = clientWith(idToken);
      const { user } = await client.call('openSession', { body: { id_token: idToken, role } });
      return { uid: user.uid, idToken, client };
    },
    async [Symbol.asyncDispose]() {
      await running.close();
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
      const faults = lines.filter((line) => line.startsWith('internal'));
      if (faults.length > 0) throw new Error(`The server failed inside:\n${faults.join('\n')}`);
    },
  };
}

/** Uses PostgreSQL if the environment says so, as in `postgres.test.ts`, else SQLite. */
export async function chooseDatabase(): Promise<string | null> {
  const server = process.env['SVC_TEST_POSTGRES'];
  return server === undefined ? null : newDatabase(server);
}

/** Uses an object store if the environment says so, as in `storage.test.ts`, else a folder. Each platform has its own prefix. */
function chooseStorage(): Settings['storage'] {
  const storage = process.env['SVC_TEST_STORAGE'];
  if (storage === undefined) return null;
  return { ...JSON.parse(storage), prefix: `${randomBytes(6).toString('hex')}/` };
}

/** A name that no other test has. */
export function freshName(stem: string): string {
  return `${stem} ${randomBytes(4).toString('hex')}`;
}
