// Reads JSON documents of issuers that developers name. The server must not reach hosts of its own network for them.
import { lookup } from 'node:dns';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';

const TIMEOUT_MS = 5000;
const DOCUMENT_BYTES = 512 * 1024;

/** Returns the JSON at an address of the issuer. Throws if it can't be read, or if the server may not read it. */
export type FetchDocument = (address: string, issuer: string) => Promise<unknown>;

type Allowed = {
  /** The issuers that the operator names. They and their keys may be at any address, also without TLS. */
  readonly issuers: ReadonlySet<string>;
  /** Whether every program on this machine is allowed. */
  readonly loopback: boolean;
};

/**
 * Creates the function. Other issuers than the allowed ones need https at its usual port, and a public address. It follows no
 * redirect.
 */
export function createDocumentFetcher(allowed: Allowed): FetchDocument {
  return async (address, issuer) => {
    const url = new URL(address);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const isNamed = allowed.issuers.has(issuer) && new URL(issuer).origin === url.origin;
    const isAllowed = isNamed || (allowed.loopback && isLoopbackHost(host));
    if (!isAllowed) checkPublic(url, host);
    return JSON.parse(await download(url, isAllowed ? lookup : lookupPublic));
  };
}

function checkPublic({ protocol, port, href }: URL, host: string): void {
  if (protocol !== 'https:') throw new Error(`Cannot read "${href}": it is not https`);
  if (port !== '') throw new Error(`Cannot read "${href}": its port is not that of https`);
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw notPublic(host);
}

function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '127.0.0.1' || host === '::1';
}

function download(url: URL, find: LookupFunction): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  const sent = request(
    url,
    {
      lookup: find,
      // A kept connection would skip the lookup.
      agent: false,
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    },
    (answer) => {
      if (answer.statusCode !== 200) {
        sent.destroy(new Error(`Cannot read "${url.href}": status ${answer.statusCode}`));
        return;
      }
      const chunks: Buffer[] = [];
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        chunks.push(chunk);
        if (bytes > DOCUMENT_BYTES) sent.destroy(new Error(`Cannot read "${url.href}": too large`));
      });
      answer.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
      answer.on('error', reject);
    },
  );
  sent.on('error', reject);
  sent.end();
  return promise;
}

/** Looks up a name, and fails if one of its addresses is not public. The connection then uses the same addresses. */
const lookupPublic: LookupFunction = (hostname, options, done) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    if (error !== null) {
      done(error, []);
      return;
    }
    const inner = found.find(({ address }) => !isPublicAddress(address));
    if (inner !== undefined || found.length === 0) {
      done(notPublic(hostname), []);
      return;
    }
    const [first] = found;
    if (options.all === true || first === undefined) done(null, found);
    else done(null, first.address, first.family);
  });
};

function notPublic(host: string): Error {
  return new Error(`Cannot read from "${host}": its address is not public`);
}

/** Networks that are not the public internet (RFC 6890 and the registries of IANA for special purposes). */
const INNER = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  INNER.addSubnet(network, bits, 'ipv4');
}
/** The only global unicast addresses of IPv6, without those that contain an IPv4 address or are documentation. */
const GLOBAL_V6 = new BlockList();
GLOBAL_V6.addSubnet('2000::', 3, 'ipv6');
const INNER_V6 = new BlockList();
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  INNER_V6.addSubnet(network, bits, 'ipv6');
}

/** Whether an IP address is on the public internet. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !INNER.check(address, 'ipv4');
  return GLOBAL_V6.check(address, 'ipv6') && !INNER_V6.check(address, 'ipv6');
}
