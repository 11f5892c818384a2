// Encrypted cookies (JWE, key derived from the operator's secrets). A long value is split into several cookies.
import { createHash } from 'node:crypto';
import { deriveKeys, openValue, type Secrets, sealValue } from './seal.ts';

/** Browsers allow 4,096 bytes per cookie, including name and attributes. */
const PIECE_CHARACTERS = 3600;
const PIECES = 4;

export type SealedCookies = {
  /** `Set-Cookie` lines that store the value for `seconds`, and remove pieces that are no longer used. */
  seal(name: string, value: object, seconds: number): Promise<string[]>;
  /** The value of the cookie; null if it is missing, forged, incomplete, expired or has another name. */
  open(name: string, header: string | undefined): Promise<unknown>;
  /** `Set-Cookie` lines that remove the cookie. */
  clear(name: string): string[];
};

/** `secure` sites use the `__Host-` prefix, which no sibling host can set. */
export function createSealedCookies(secrets: Secrets, secure: boolean): SealedCookies {
  const keys = deriveKeys(secrets, 'svc-web', 'session cookies');
  const attributes = `; Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  const nameOf = (name: string, piece: number): string =>
    `${secure ? '__Host-' : ''}${name}${piece === 0 ? '' : `-${piece}`}`;
  const clearFrom = (name: string, from: number): string[] =>
    Array.from({ length: PIECES - from }, (_, index) => {
      return `${nameOf(name, from + index)}=; Max-Age=0${attributes}`;
    });
  return {
    async seal(name, value, seconds) {
      const text = await sealValue(keys, name, value, seconds);
      const pieces = Math.ceil(text.length / PIECE_CHARACTERS);
      if (pieces > PIECES) {
        throw new Error(`Cannot keep the cookie "${name}": ${text.length} characters are too many`);
      }
      const lines = Array.from({ length: pieces }, (_, piece) => {
        const part = text.slice(piece * PIECE_CHARACTERS, (piece + 1) * PIECE_CHARACTERS);
        return `${nameOf(name, piece)}=${part}; Max-Age=${seconds}${attributes}`;
      });
      return [...lines, ...clearFrom(name, pieces)];
    },
    async open(name, header) {
      const sent = readCookies(header);
      let text = '';
      for (let piece = 0; piece < PIECES; piece++) text += sent.get(nameOf(name, piece)) ?? '';
      return text === '' ? null : openValue(keys, name, text);
    },
    clear: (name) => clearFrom(name, 0),
  };
}

/** A hash of a secret, to look it up without storing it. */
export function fingerprint(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

function readCookies(header = ''): Map<string, string> {
  const cookies = new Map<string, string>();
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    if (at < 1) continue;
    const name = pair.slice(0, at).trim();
    if (!cookies.has(name)) cookies.set(name, pair.slice(at + 1).trim());
  }
  return cookies;
}
