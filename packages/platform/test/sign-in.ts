// Signs in at the provider of --dev as a browser would: authorization code with PKCE, the form, the token.
import { createHash, randomBytes, randomUUID } from 'node:crypto';

/** The redirect address of `signInAddress`. No server listens there. */
export const REDIRECT = 'http://127.0.0.1:1/callback';

/** The address at which the sign-in starts. */
export function signInAddress(
  issuer: string,
  clientId: string,
  verifier: string,
  change: Readonly<Record<string, string>> = {},
): string {
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: REDIRECT,
    response_type: 'code',
    scope: 'openid profile',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    nonce: randomUUID(),
    state: randomUUID(),
    ...change,
  });
  return `${issuer}/auth?${query}`;
}

/** An ID token for the name. */
export async function signIn(issuer: string, clientId: string, name: string): Promise<string> {
  const go = browserWithCookies();
  const verifier = randomBytes(32).toString('base64url');
  const page = await go(signInAddress(issuer, clientId, verifier));
  const form = await go(new URL(location(page), issuer).href, new URLSearchParams({ name }));
  const resumed = await go(location(form));
  const code = new URL(location(resumed)).searchParams.get('code') ?? '';
  const answer = await fetch(`${issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT,
      client_id: clientId,
      code_verifier: verifier,
    }),
  });
  const tokens = (await answer.json()) as { id_token?: string };
  if (tokens.id_token === undefined) throw new Error(`No ID token: ${JSON.stringify(tokens)}`);
  return tokens.id_token;
}

/** Requests addresses like a browser that keeps cookies and follows no redirects. With a form it sends a POST. */
export function browserWithCookies() {
  const jar = new Map<string, string>();
  return async (address: string, form?: URLSearchParams): Promise<Response> => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(address, {
      redirect: 'manual',
      headers: { cookie },
      ...(form === undefined ? {} : { method: 'POST', body: form }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const [name = '', value = ''] = pair.split('=');
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    return answer;
  };
}

/** Returns the target of a redirect. Throws if the answer is not one. */
export function location(answer: Response): string {
  const address = answer.headers.get('location');
  if (address === null) throw new Error(`Expected a redirect, got ${answer.status}`);
  return address;
}
