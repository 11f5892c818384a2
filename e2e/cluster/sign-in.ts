// A visitor who signs in at the store and looks at a page that needs it.
import { setTimeout as sleep } from 'node:timers/promises';
import { getFile, getUntilAnswered } from './get.ts';
import { type Cluster, HOSTS } from './open-cluster.ts';

/** Longer than any fault of the test and what follows from it. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 200;
const NAME = 'Grace';
const PROFILE = '/dashboard/profile';

/**
 * Signs in as a browser would, and looks at the visitor's profile. A sign-in that a fault ended is started again, as the page
 * of the store says. Throws if a sign-in fails otherwise, if it shows someone else, and after a minute.
 */
export async function signInOnce({ send, provider }: Cluster): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  let cookie: string | null = null;
  while (cookie === null) {
    if (performance.now() >= end) throw new Error(`${HOSTS.web}: no sign-in after a minute`);
    cookie = await tryToSignIn({ send, provider });
    if (cookie === null) await sleep(PAUSE_MS);
  }
  const page = await getFile(send, HOSTS.web, PROFILE, { headers: { cookie } });
  if (!String(page.bytes).includes(NAME)) throw new Error(`${PROFILE} does not show ${NAME}`);
}

/** Returns the cookies of the session; null if a part of the cluster failed. */
async function tryToSignIn({
  send,
  provider,
}: Pick<Cluster, 'send' | 'provider'>): Promise<string | null> {
  const started = await getUntilAnswered(send, HOSTS.web, `/sign-in?return_to=${PROFILE}`);
  const address = new URL(started.headers.get('location') ?? 'about:blank');
  if (started.status !== 303 || address.pathname !== '/authorize') {
    throw new Error(`sign-in: ${started.status} ${String(started.bytes).slice(0, 1_000)}`);
  }
  const asked = address.searchParams;
  // A server whose clock is behind rejects a token of the future.
  const iat = Math.floor(Date.now() / 1_000) - 120;
  const code = provider.codeFor({ sub: 'grace', name: NAME, iat, nonce: asked.get('nonce') });
  const query = new URLSearchParams({ code, state: asked.get('state') ?? '' });
  const headers = { cookie: cookiesOf(started.headers) };
  const answer = await send(HOSTS.web, `/sign-in/callback?${query}`, { headers }).catch(() => null);
  if (answer === null || answer.status >= 500) return null;
  if (answer.status !== 303 || answer.headers.get('location') !== PROFILE) {
    throw new Error(`callback: ${answer.status} ${(await answer.text()).slice(0, 1_000)}`);
  }
  return cookiesOf(answer.headers);
}

/** The header with the cookies that an answer sets. */
function cookiesOf(headers: Headers): string {
  const pairs = headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
  return pairs.filter((pair) => !pair.endsWith('=')).join('; ');
}
