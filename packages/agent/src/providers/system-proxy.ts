// Finds the HTTP proxy for other machines in the environment, in the form that Node's agent needs.

type Environment = Readonly<Record<string, string | undefined>>;

export type SystemProxy = {
  /** The environment variable that names the proxy. */
  readonly variable: string;
  /** The value of `proxyEnv` for an agent of `node:https`. */
  readonly settings: Environment;
};

/**
 * The proxy in `https_proxy`, else in `HTTPS_PROXY`. Null without one. Node's agent silently
 * connects directly if the address has no scheme or is not an HTTP proxy. A missing scheme is
 * therefore added here, and for another kind of proxy the error that `refuse` returns is thrown.
 */
export function findSystemProxy(
  env: Environment,
  refuse: (reason: string) => Error,
): SystemProxy | null {
  const variable = ['https_proxy', 'HTTPS_PROXY'].find((name) => (env[name] ?? '').trim() !== '');
  if (variable === undefined) return null;
  const text = (env[variable] ?? '').trim();
  const address = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || url.hostname === '') {
    throw refuse(`${variable} does not contain the address of a proxy. ${EXAMPLE}`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw refuse(
      `${variable} names a proxy with the scheme "${url.protocol}", which is not supported. ${EXAMPLE}`,
    );
  }
  const exceptions = env['no_proxy'] || env['NO_PROXY'];
  return { variable, settings: { https_proxy: address, no_proxy: exceptions } };
}

const EXAMPLE = 'The address of an HTTP proxy looks like http://proxy.example.com:3128';
