// Several processes of one site: separate servers that share a database, an API and an identity provider.
import type { TestContext } from 'node:test';
import { logTo } from '@svc/observe/testing';
import { newDatabase, type Postgres } from '@svc/platform/testing';
import pg from 'pg';
import { type RunningWeb, startWeb, type WebOptions } from '../src/index.ts';
import { createSealedCookies } from '../src/session/sealed-cookies.ts';
import type { Session } from '../src/session/session.ts';
import {
  CLIENT,
  idTokenOf,
  type RotatingProvider,
  startRotatingProvider,
} from './rotating-provider.ts';
import { ADA, SECRET, type StandInApi, startStandInApi } from './stand-in-api.ts';

export const ORIGIN = 'http://games.example';
/** More than any bound of the site. */
const PATIENCE_MS = 60_000;

/** The rest of a page's answer that tests look at. */
export type Shown = {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  /** Milliseconds until the answer was complete. */
  readonly ms: number;
};

export type Backend = {
  readonly api: StandInApi;
  readonly provider: RotatingProvider;
  /** The address of an empty database for this test. */
  readonly databaseUrl: string;
  /** Runs a statement in it. */
  query(text: string, values?: readonly unknown[]): Promise<Readonly<Record<string, unknown>>[]>;
  /** Ends all connections to the database and refuses new ones, or accepts them again. */
  setDown(down: boolean): Promise<void>;
  /** Makes every statement wait until the result is disposed of. */
  hang(): Promise<AsyncDisposable>;
};

/** Starts what the processes share. */
export async function openBackend(t: TestContext, postgres: Postgres): Promise<Backend> {
  const [api, provider] = await Promise.all([startStandInApi(t), startRotatingProvider(t)]);
  api.answers['GET /auth/config'] = { json: { issuer: provider.issuer, client_id: CLIENT } };
  api.answers['GET /me'] = { json: { user: ADA, auth: { kind: 'session' } } };
  const databaseUrl = await newDatabase(postgres.url);
  const name = new URL(databaseUrl).pathname.slice(1);
  return {
    api,
    provider,
    databaseUrl,
    query: (text, values) => runOnce(databaseUrl, text, values),
    async setDown(down) {
      await runOnce(postgres.url, `alter database ${name} with allow_connections ${!down}`);
      const end = 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1';
      if (down) await runOnce(postgres.url, end, [name]);
    },
    async hang() {
      const client = new pg.Client({ connectionString: databaseUrl });
      await client.connect();
      await client.query('begin');
      await client.query('lock table svc_web_renewals in access exclusive mode');
      return { [Symbol.asyncDispose]: () => client.end() };
    },
  };
}

/** Starts one process of the site in this one. Its log lines are added to `lines`. */
export async function openProcess(
  t: TestContext,
  { api, databaseUrl }: Backend,
  options: Partial<WebOptions> & { readonly lines?: string[] } = {},
): Promise<RunningWeb> {
  const { lines = [], ...more } = options;
  const web = await startWeb({
    apiUrl: api.url,
    origin: ORIGIN,
    port: 0,
    secret: SECRET,
    databaseUrl,
    log: logTo((line) => lines.push(line)),
    ...more,
  });
  t.after(() => web.close());
  return web;
}

/** The `Cookie` header of a session of Ada at the provider, whose ID token has expired, unless `more` states another expiry. */
export async function sessionCookie(
  { issuer }: Pick<RotatingProvider, 'issuer'>,
  refreshToken: string,
  more: Partial<Session> & { readonly secret?: string } = {},
): Promise<string> {
  const { secret = SECRET, ...fields } = more;
  const session: Session = {
    uid: ADA.uid,
    name: ADA.name,
    idToken: idTokenOf(issuer, 'old-token'),
    refreshToken,
    expiresAt: Date.now() - 1000,
    signedInAt: Date.now(),
    isChecked: true,
    ...fields,
  };
  const lines = await createSealedCookies([secret], false).seal('svc_session', session, 3600);
  return lines
    .flatMap((line) => (line.includes('=;') ? [] : (line.split(';')[0] ?? [])))
    .join('; ');
}

/** Opens a page that requires a session, or sends its form. */
export async function show(
  { port }: { readonly port: number },
  cookie: string,
  form?: Readonly<Record<string, string>>,
): Promise<Shown> {
  const startedAt = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}/dashboard/profile`, {
    redirect: 'manual',
    headers: { cookie, origin: ORIGIN },
    signal: AbortSignal.timeout(PATIENCE_MS),
    ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
  });
  const text = await answer.text();
  const { status, headers } = answer;
  return { status, text, headers, ms: performance.now() - startedAt };
}

/** The session in the cookies that an answer sets; null if it sets none. */
export async function sessionIn({ headers }: Shown, secret = SECRET): Promise<unknown> {
  const cookie = headers
    .getSetCookie()
    .flatMap((line) => line.split(';')[0] ?? [])
    .join('; ');
  return createSealedCookies([secret], false).open('svc_session', cookie);
}

/** Whether the answer redirects to the sign-in. */
export function asksToSignIn({ status, headers }: Shown): boolean {
  return status === 303 && (headers.get('location') ?? '').startsWith('/sign-in?');
}

async function runOnce(
  connectionString: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Readonly<Record<string, unknown>>[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(text, [...values])).rows;
  } finally {
    await client.end();
  }
}
