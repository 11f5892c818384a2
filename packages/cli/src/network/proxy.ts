// Finds the proxy for an address from HTTPS_PROXY, HTTP_PROXY and NO_PROXY.
import { BlockList, isIP } from 'node:net';
import { usageError } from '../process/exit-codes.ts';
import { isLoopback } from './loopback.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export type ProxyServer = {
  /** Scheme, host and port, without user name and password. */
  readonly origin: string;
  /** The environment variable that names the proxy. */
  readonly variable: string;
  /** The value of `Proxy-Authorization`. Null if the address has no user name. */
  readonly authorization: string | null;
};

/**
 * The proxy for this address, or null for a direct connection. Connections to this machine are always direct. Lower-case
 * variables take precedence. Throws a usage error if the variable is not the address of an HTTP proxy.
 */
export function findProxy(url: URL, env: Environment): ProxyServer | null {
  if (isLoopback(url.hostname) || url.hostname.endsWith('.localhost')) return null;
  const name = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const variable = [name, name.toUpperCase()].find((one) => (env[one] ?? '').trim() !== '');
  if (variable === undefined) return null;
  const exceptions = env['no_proxy'] || env['NO_PROXY'] || '';
  return isExcepted(url, exceptions) ? null : parseProxy(env[variable]?.trim() ?? '', variable);
}

function parseProxy(text: string, variable: string): ProxyServer {
  const address = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || url.hostname === '') {
    throw usageError(`${variable} is not the address of a proxy.`, EXAMPLE);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw usageError(
      `${variable} names a proxy with the scheme "${url.protocol}", which svc does not support.`,
      `svc supports HTTP proxies only. ${EXAMPLE}`,
    );
  }
  return { origin: url.origin, variable, authorization: authorizationOf(url, variable) };
}

const EXAMPLE = 'Use an address such as http://proxy.example.com:3128.';

function authorizationOf({ username, password }: URL, variable: string): string | null {
  if (username === '' && password === '') return null;
  try {
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return `Basic ${Buffer.from(pair).toString('base64')}`;
  } catch {
    throw usageError(
      `The user name or password in ${variable} cannot be decoded.`,
      'Write a percent sign as %25.',
    );
  }
}

/** Whether a NO_PROXY list such as `localhost,.example.com,10.0.0.0/8,api.example.org:8443` contains the address. */
function isExcepted(url: URL, list: string): boolean {
  const host = bareHost(url.hostname);
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => matches(entry, host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return isInSubnet(entry, host);
  const [, name = entry, ownPort] = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
  if (ownPort !== undefined && ownPort !== port) return false;
  const suffix = bareHost(name.replace(/^\*?\./, ''));
  return host === suffix || (isIP(host) === 0 && host.endsWith(`.${suffix}`));
}

function isInSubnet(entry: string, host: string): boolean {
  const [network = '', bits = ''] = entry.split('/');
  const family = isIP(network);
  if (family === 0 || isIP(host) !== family || !/^\d{1,3}$/.test(bits)) return false;
  if (Number(bits) > (family === 6 ? 128 : 32)) return false;
  const kind = family === 6 ? 'ipv6' : 'ipv4';
  const subnet = new BlockList();
  subnet.addSubnet(network, Number(bits), kind);
  return subnet.check(host, kind);
}

/** Removes the brackets of an IPv6 address. Returns other names unchanged. */
export function bareHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
