// Encrypts new tokens for the other processes. Only a process that has a secret and the old refresh token can read them.
import type { ProviderTokens } from './identity-provider.ts';
import { deriveKeys, openValue, type Secrets, sealValue } from './seal.ts';

const NAME = 'renewed tokens';
/** The database removes the row much earlier. The clocks of processes may differ. */
const SECONDS = 3600;

export type SealedTokens = {
  seal(refreshToken: string, tokens: ProviderTokens): Promise<string>;
  /** The tokens; null if they were encrypted with an unknown secret or for another refresh token. */
  open(refreshToken: string, text: string): Promise<ProviderTokens | null>;
};

export function createSealedTokens(secrets: Secrets): SealedTokens {
  // The refresh token is part of each key, so a row can't be read with the secret alone, or moved to another visitor.
  const keysFor = (refreshToken: string): Uint8Array[] => deriveKeys(secrets, refreshToken, NAME);
  return {
    seal: (refreshToken, tokens) => sealValue(keysFor(refreshToken), NAME, tokens, SECONDS),
    open: async (refreshToken, text) =>
      parseTokens(await openValue(keysFor(refreshToken), NAME, text)),
  };
}

function parseTokens(value: unknown): ProviderTokens | null {
  if (typeof value !== 'object' || value === null) return null;
  const field = (name: string): unknown => Reflect.get(value, name);
  const [idToken, refreshToken] = [field('idToken'), field('refreshToken')];
  const expiresAt = field('expiresAt');
  if (typeof idToken !== 'string' || typeof expiresAt !== 'number') return null;
  if (refreshToken !== null && typeof refreshToken !== 'string') return null;
  return { idToken, refreshToken, expiresAt };
}
