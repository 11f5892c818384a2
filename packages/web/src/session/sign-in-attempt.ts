// A sign-in that was started and not yet completed, and the path to return to after it.

/** What is fixed before a browser is sent off, and checked when it comes back. */
export type SignInAttempt = {
  readonly issuer: string;
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
  /** The path on this site to end up at. */
  readonly returnTo: string;
};

/** The path of an address on this site; `/dashboard` for any other address, so that nobody is led elsewhere. */
export function ownPath(address: string | null, origin: string): string {
  if (address === null || !address.startsWith('/') || !URL.canParse(address, origin)) {
    return '/dashboard';
  }
  const url = new URL(address, origin);
  if (url.origin !== origin) return '/dashboard';
  // Two slashes at the start would name a host once more.
  return `/${(url.pathname + url.search + url.hash).replace(/^\/+/, '')}`;
}

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
