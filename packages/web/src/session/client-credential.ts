// How the store authenticates at the identity providers that know it as a confidential client.
import * as oauth from 'oauth4webapi';
import { type ClientKey, readClientKey } from './client-key.ts';
import { isSameIssuer } from './issuer.ts';

/** A secret, and how it is sent. Null: as the provider's metadata say. */
type ClientSecret = {
  readonly kind: 'secret';
  readonly secret: string;
  readonly sentBy: 'basic' | 'post' | null;
};

/** The operator's setting for one provider. */
export type ClientSetting = {
  readonly issuer: string;
  /** Name of the variable with the secret or the file, for messages. */
  readonly setting: string;
} & (ClientSecret | { readonly kind: 'key'; readonly file: string });

/** The credential for one provider. It is sent to no other one. */
export type ClientCredential = Pick<ClientSetting, 'issuer' | 'setting'> &
  (ClientSecret | { readonly kind: 'key'; readonly key: ClientKey });

/** Reads the files of keys. Throws an error that names the setting and the file for one that can't be used. */
export function readCredentials(settings: readonly ClientSetting[]): Promise<ClientCredential[]> {
  return Promise.all(
    settings.map(async (one): Promise<ClientCredential> => {
      if (one.kind === 'secret') return one;
      const { issuer, setting, file } = one;
      return { issuer, setting, kind: 'key', key: await readClientKey(setting, file) };
    }),
  );
}

/** The credential for this provider; null if the store is a public client there. */
export function credentialFor(
  credentials: readonly ClientCredential[],
  issuer: string,
): ClientCredential | null {
  return credentials.find((one) => isSameIssuer(one.issuer, issuer)) ?? null;
}

/** Returns how the store authenticates with the credential at the provider's token endpoint. */
export function authenticate(
  credential: ClientCredential | null,
  server: oauth.AuthorizationServer,
): oauth.ClientAuth {
  if (credential === null) return oauth.None();
  if (credential.kind === 'key') return signAssertion(credential.key, server);
  const { secret, sentBy } = credential;
  const byPost = sentBy === null ? onlyTakesPost(server) : sentBy === 'post';
  return byPost ? oauth.ClientSecretPost(secret) : oauth.ClientSecretBasic(secret);
}

/** OpenID Connect Discovery, section 3: the default is client_secret_basic. */
function onlyTakesPost(server: oauth.AuthorizationServer): boolean {
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return !methods.includes('client_secret_basic') && methods.includes('client_secret_post');
}

/** RFC 9864 renames EdDSA for this curve to Ed25519. Providers know one of the names, or both. */
function signAssertion(
  { key, kid, alg }: ClientKey,
  server: oauth.AuthorizationServer,
): oauth.ClientAuth {
  const known = server.token_endpoint_auth_signing_alg_values_supported ?? [];
  const isOldName =
    alg === null ? known.includes('EdDSA') && !known.includes('Ed25519') : alg === 'EdDSA';
  return oauth.PrivateKeyJwt(kid === undefined ? { key } : { key, kid }, {
    [oauth.modifyAssertion](header) {
      if (isOldName && header['alg'] === 'Ed25519') header['alg'] = 'EdDSA';
    },
  });
}
