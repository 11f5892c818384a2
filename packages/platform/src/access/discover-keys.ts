// Asks a provider's discovery document where its keys are (OpenID Connect Discovery 1.0, §4).

const TIMEOUT_MS = 5000;

/** Address of the provider's keys. Throws where the document can't be had or is another issuer's. */
export async function discoverKeysUrl(issuer: string): Promise<string> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const answer = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!answer.ok) throw new Error(`Cannot read "${address}": status ${answer.status}`);
  const document: unknown = await answer.json();
  if (typeof document !== 'object' || document === null) throw new Error(`No document: ${address}`);
  const told = 'issuer' in document ? document.issuer : undefined;
  const keys = 'jwks_uri' in document ? document.jwks_uri : undefined;
  if (told !== issuer || typeof keys !== 'string') {
    throw new Error(`Cannot use "${address}": it is not this issuer's`);
  }
  return keys;
}
