// Who sent a request: the client's address, and the id that a trusted proxy gave the request.
import type { IncomingMessage } from 'node:http';
import { compile, default as proxyAddress } from '@fastify/proxy-addr';

/** The most characters of an id. Proxies use 32 to 36. */
const ID = /^[\w.:/+=-]{1,128}$/;

export type Sender = {
  /** Whether a trusted proxy sent the request. */
  isTrusted(request: IncomingMessage): boolean;
  /** The address of the client. Proxies that are not trusted count as clients. */
  addressOf(request: IncomingMessage): string;
  /** The `X-Request-Id` of a trusted proxy; null if there is none, or if it is not 1 to 128 letters, digits and `_.:/+=-`. */
  givenId(request: IncomingMessage): string | null;
};

/** `trustedProxies` lists addresses and ranges, separated by commas. Null: no proxy is trusted. */
export function createSender(trustedProxies: string | null): Sender {
  const isTrustedAddress =
    trustedProxies === null
      ? () => false
      : compile(trustedProxies.split(',').map((range) => range.trim()));
  const isTrusted = ({ socket }: IncomingMessage): boolean =>
    isTrustedAddress(socket.remoteAddress ?? '', 0);
  return {
    isTrusted,
    addressOf: (request) => proxyAddress(request, isTrustedAddress),
    givenId(request) {
      const given = request.headers['x-request-id'];
      if (typeof given !== 'string' || !ID.test(given)) return null;
      return isTrusted(request) ? given : null;
    },
  };
}
