// Reads the address of a provider's keys from its discovery document (OpenID Connect Discovery 1.0, §4).

const TIMEOUT_MS = 5000;

/**
 * Returns the address of the provider's keys. Throws if the document is not available or names another issuer. `fetchDocument`
 * returns the JSON at an address.
 */
export async function discoverKeysUrl(
  issuer: string,
  fetchDocument: (address: string) => Promise<unknown> = fetchJson,
): Promise<string> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const document = await fetchDocument(address);
  if (typeof document !== 'object' || document === null)
    throw new Error(`Cannot read "${address}": it is not a JSON object`);
  const named = 'issuer' in document ? document.issuer : undefined;
  const keys = 'jwks_uri' in document ? document.jwks_uri : undefined;
  if (named !== issuer || typeof keys !== 'string') {
    throw new Error(`Cannot use "${address}": it names another issuer or no keys`);
  }
  return keys;
}

async function fetchJson(address: string): Promise<unknown> {
  const answer = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!answer.ok) throw new Error(`Cannot read "${address}": status ${answer.status}`);
  return await answer.json();
}
