// The HTTP proxy that the system's settings name for other machines, in the form that Node's own agent needs.

type Environment = Readonly<Record<string, string | undefined>>;

export type SystemProxy = {
  /** The variable that names it. */
  readonly variable: string;
  /** For `proxyEnv` of an agent of `node:https`. */
  readonly settings: Environment;
};

/**
 * The proxy of `https_proxy` or else `HTTPS_PROXY`, or null without one. Node's agent ignores an address without a scheme, and
 * every kind but HTTP, and connects directly: the first is completed here, the second thrown as what `refuse` makes of it.
 */
export function findSystemProxy(
  env: Environment,
  refuse: (reason: string) => Error,
): SystemProxy | null {
  const variable = ['https_proxy', 'HTTPS_PROXY'].find((name) => (env[name] ?? '').trim() !== '');
  const text = variable === undefined ? '' : (env[variable] ?? '').trim();
  if (variable === undefined) return null;
  const address = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || url.hostname === '') {
    throw refuse(`${variable} does not hold the address of a proxy. ${EXAMPLE}`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw refuse(
      `${variable} names a proxy of the kind "${url.protocol}", which cannot be used. ${EXAMPLE}`,
    );
  }
  const exceptions = env['no_proxy'] || env['NO_PROXY'];
  return { variable, settings: { https_proxy: address, no_proxy: exceptions } };
}

const EXAMPLE = 'The address of an HTTP proxy looks like http://proxy.example.com:3128';
