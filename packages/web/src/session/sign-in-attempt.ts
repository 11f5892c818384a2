// A sign-in that was started and not yet completed, and the path to return to after it.

/** The values that are set before the browser is redirected to the provider, and checked when it returns. */
export type SignInAttempt = {
  readonly issuer: string;
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
  /** The path on this site to open after the sign-in. */
  readonly returnTo: string;
};

/** The path of an address on this site; `/dashboard` for any other address, to prevent redirects to other sites. */
export function ownPath(address: string | null, origin: string): string {
  if (address === null || !address.startsWith('/') || !URL.canParse(address, origin)) {
    return '/dashboard';
  }
  const url = new URL(address, origin);
  if (url.origin !== origin) return '/dashboard';
  // A path that starts with two slashes would name a host.
  return `/${(url.pathname + url.search + url.hash).replace(/^\/+/, '')}`;
}

/** Validates the content of the sign-in cookie. Returns null if it is not an object. */
export function parseAttempt(value: unknown): SignInAttempt | null {
  if (typeof value !== 'object' || value === null) return null;
  const text = (name: string): string => {
    const field: unknown = Reflect.get(value, name);
    return typeof field === 'string' ? field : '';
  };
  return {
    issuer: text('issuer'),
    verifier: text('verifier'),
    state: text('state'),
    nonce: text('nonce'),
    returnTo: text('returnTo'),
  };
}
