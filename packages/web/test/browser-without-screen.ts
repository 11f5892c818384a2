// A minimal browser: keeps cookies, follows redirects, and sends forms with the headers of a real browser.

export type Seen = {
  readonly status: number;
  readonly url: string;
  readonly text: string;
  readonly headers: Headers;
};

export type BareBrowser = {
  /** Opens an address, following redirects. */
  open(address: string): Promise<Seen>;
  /** Sends a form as a page of `from` would. With null, the request has no Origin and no Sec-Fetch-Site header. */
  send(
    address: string,
    form: Record<string, string> | URLSearchParams | FormData,
    from?: { origin: string | null; site: string | null },
  ): Promise<Seen>;
  /** Signs in at the development provider, and ends at `returnTo`. */
  signIn(name: string, returnTo?: string): Promise<Seen>;
  readonly cookies: Map<string, string>;
};

export function openBareBrowser(origin: string): BareBrowser {
  const jars = new Map<string, Map<string, string>>();
  const jarOf = (address: string): Map<string, string> => {
    const { host } = new URL(address);
    const jar = jars.get(host) ?? new Map<string, string>();
    jars.set(host, jar);
    return jar;
  };
  const ask = async (address: string, init: RequestInit): Promise<Seen> => {
    const jar = jarOf(address);
    const headers = new Headers(init.headers);
    if (jar.size > 0) headers.set('cookie', [...jar].map((pair) => pair.join('=')).join('; '));
    const answer = await fetch(address, { ...init, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) keep(jar, line);
    const location = answer.headers.get('location');
    if (location !== null && answer.status < 400) {
      await answer.arrayBuffer();
      return ask(new URL(location, address).href, {});
    }
    return {
      status: answer.status,
      url: address,
      text: await answer.text(),
      headers: answer.headers,
    };
  };
  const browser: BareBrowser = {
    cookies: jarOf(origin),
    open: (address) => ask(new URL(address, origin).href, {}),
    send(address, form, from = { origin, site: 'same-origin' }) {
      const headers = new Headers();
      if (from.origin !== null) headers.set('origin', from.origin);
      if (from.site !== null) headers.set('sec-fetch-site', from.site);
      const body = form instanceof FormData ? form : new URLSearchParams(form);
      return ask(new URL(address, origin).href, { method: 'POST', headers, body });
    },
    async signIn(name, returnTo = '/dashboard') {
      const page = await browser.open(`/sign-in?return_to=${encodeURIComponent(returnTo)}`);
      const action = /action="([^"]+)"/.exec(page.text)?.[1];
      if (action === undefined) return page;
      return browser.send(new URL(action, page.url).href, { name });
    },
  };
  return browser;
}

function keep(jar: Map<string, string>, line: string): void {
  const [pair = ''] = line.split(';');
  const at = pair.indexOf('=');
  const name = pair.slice(0, at);
  if (/max-age=0/i.test(line) || pair.slice(at + 1) === '') jar.delete(name);
  else jar.set(name, pair.slice(at + 1));
}
