// The session token: out of the address bar at once, kept in memory and in this tab's session storage, nowhere else.

const KEY = 'svc-token';

/** Takes the token from the page's address (then it is gone from there) or from an earlier load of this tab. */
export function takeToken(): string | null {
  const { token, rest } = splitFragment(location.hash);
  if (token === null) return sessionStorage.getItem(KEY);
  history.replaceState(null, '', `${location.pathname}${location.search}${rest}`);
  keepToken(token);
  return token;
}

/** Keeps a token that a person typed in. */
export function keepToken(token: string): void {
  sessionStorage.setItem(KEY, token);
}

/**
 * The token in a fragment, and the fragment without it: `#token=a&view=b` is `a` and `#view=b`. Text that is not
 * base64url is no token, and the connection could not be opened with it.
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

/** The token in what a person pasted: the whole address, its fragment, or the token itself; null for anything else. */
export function tokenIn(pasted: string): string | null {
  const text = pasted.trim();
  const found = /[#&?]?token=([A-Za-z0-9_-]+)/.exec(text)?.[1];
  return found ?? (/^[A-Za-z0-9_-]{20,}$/.test(text) ? text : null);
}
