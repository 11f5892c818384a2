// The session token. It is removed from the address bar at once, and kept only in memory and in this tab's session
// storage.

const KEY = 'svc-token';

/**
 * Returns the token from the page's address, and removes it there. Otherwise returns the token that this tab stored
 * earlier, or null.
 */
export function takeToken(): string | null {
  const { token, rest } = splitFragment(location.hash);
  if (token === null) return sessionStorage.getItem(KEY);
  history.replaceState(null, '', `${location.pathname}${location.search}${rest}`);
  keepToken(token);
  return token;
}

/** Stores a token for reloads of this tab. */
export function keepToken(token: string): void {
  sessionStorage.setItem(KEY, token);
}

/**
 * Splits a fragment into its token and the rest: `#token=a&view=b` gives `a` and `#view=b`. The token is null if it
 * is not base64url, because no connection could be opened with it.
 */
export function splitFragment(fragment: string): { token: string | null; rest: string } {
  const pairs = fragment.replace(/^#/, '').split('&').filter(Boolean);
  const found = pairs.find((pair) => pair.startsWith('token='))?.slice('token='.length) ?? '';
  const rest = pairs.filter((pair) => !pair.startsWith('token='));
  return {
    token: /^[A-Za-z0-9_-]+$/.test(found) ? found : null,
    rest: rest.length === 0 ? '' : `#${rest.join('&')}`,
  };
}

/**
 * Returns the token in a pasted text: a whole address, a fragment, or the token itself. Returns null for any other
 * text.
 */
export function tokenIn(pasted: string): string | null {
  const text = pasted.trim();
  const found = /[#&?]?token=([A-Za-z0-9_-]+)/.exec(text)?.[1];
  return found ?? (/^[A-Za-z0-9_-]{20,}$/.test(text) ? text : null);
}
