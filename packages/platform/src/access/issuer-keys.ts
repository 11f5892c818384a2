// The keys of the issuers that projects trust.
import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose';
import { LRUCache } from 'lru-cache';
import { discoverKeysUrl } from './discover-keys.ts';
import type { FetchDocument } from './fetch-document.ts';

const ISSUERS = 100;
/** How long the address of the keys is used before the issuer is asked for it again. */
const KNOWN_MS = 3600 * 1000;
/** How long the server does not read an address again that has failed. Anybody can name the issuer of a project in a request. */
const FAILURE_MS = 10_000;

/** Returns the function that finds the key of a token of the issuer. */
export type KeysOfIssuer = (issuer: string) => JWTVerifyGetKey;

/** Creates the function. It caches the keys of an issuer for ten minutes, and requests them again for an unknown key. */
export function createIssuerKeys(fetchDocument: FetchDocument): KeysOfIssuer {
  const keysOf = new LRUCache<string, Promise<JWTVerifyGetKey>>({ max: ISSUERS, ttl: KNOWN_MS });
  const failures = new LRUCache<string, { readonly error: unknown }>({
    ...{ max: 2 * ISSUERS, ttl: FAILURE_MS },
  });
  const read = async (address: string, issuer: string): Promise<unknown> => {
    const failure = failures.get(address);
    if (failure !== undefined) throw failure.error;
    try {
      return await fetchDocument(address, issuer);
    } catch (error) {
      failures.set(address, { error });
      throw error;
    }
  };
  const discover = async (issuer: string): Promise<JWTVerifyGetKey> => {
    const address = await discoverKeysUrl(issuer, (document) => read(document, issuer));
    return createRemoteJWKSet(new URL(address), {
      [customFetch]: async (keys) => Response.json(await read(String(keys), issuer)),
    });
  };
  const readKeys = (issuer: string): Promise<JWTVerifyGetKey> => {
    const known = keysOf.get(issuer);
    if (known !== undefined) return known;
    const started = discover(issuer);
    keysOf.set(issuer, started);
    started.catch(() => keysOf.delete(issuer));
    return started;
  };
  return (issuer) => async (header, token) => (await readKeys(issuer))(header, token);
}
