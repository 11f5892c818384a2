// The OpenID Connect providers at which people sign in, and their keys.
import { createRemoteJWKSet, type JWTVerifyGetKey } from 'jose';
import { discoverKeysUrl } from './discover-keys.ts';
import { readIssuer } from './verify-jwt.ts';

/** A provider whose ID tokens are accepted. */
export type IdentityProvider = {
  readonly issuer: string;
  /** Its name for people. */
  readonly name: string;
  /** The client of the store, and the public client of the command line. They may be the same. */
  readonly clientId: string;
  readonly cliClientId: string;
  /** Whether the store requests `offline_access` if the provider supports it. */
  readonly offlineAccess: boolean;
  /** Address of its keys; null to read it from the discovery document. */
  readonly jwksUrl: string | null;
  /** The issuer under which users of this provider are stored. */
  readonly issuerKey: string;
};

/** A provider with the audiences of its tokens and the function that finds its keys. */
export type KeyedProvider = IdentityProvider & {
  readonly audience: readonly string[];
  readonly getKey: JWTVerifyGetKey;
};

/** The providers by issuer. */
export type KeyedProviders = ReadonlyMap<string, KeyedProvider>;

/** Adds the keys. They are cached for ten minutes, and requested again for an unknown key. */
export function withKeys(providers: readonly IdentityProvider[]): KeyedProviders {
  return new Map(
    providers.map((provider) => [
      provider.issuer,
      {
        ...provider,
        audience: [...new Set([provider.clientId, provider.cliClientId])],
        getKey: findKeys(provider),
      },
    ]),
  );
}

/** Returns the provider that the token names; null if it names none of them, or if no key could make it valid. Nothing is verified. */
export function providerOf(providers: KeyedProviders, token: string): KeyedProvider | null {
  return providers.get(readIssuer(token) ?? '') ?? null;
}

function findKeys({ issuer, jwksUrl }: IdentityProvider): JWTVerifyGetKey {
  let keys: JWTVerifyGetKey | null = null;
  return async (header, token) => {
    keys ??= createRemoteJWKSet(new URL(jwksUrl ?? (await discoverKeysUrl(issuer))));
    return keys(header, token);
  };
}
