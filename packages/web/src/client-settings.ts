// The operator's settings for identity providers that know the store as a confidential client.
import type { ClientSetting } from './session/client-credential.ts';
import { isSameIssuer } from './session/issuer.ts';

/** The beginnings of the variables of each provider, as in the settings of the API. */
const PREFIXES = ['SVC_OIDC', ...[2, 3, 4, 5, 6, 7, 8, 9].map((number) => `SVC_OIDC_${number}`)];

/** Reads one setting of a provider; null if it is missing or empty. `isValid` adds a fault if it returns false. */
type Read = (name: string, wanted: string, isValid: (value: string) => boolean) => string | null;

/** Reads the credentials. Adds a message for each fault, without values. A provider without a credential is left out. */
export function readClientSettings(read: Read, faults: string[]): ClientSetting[] {
  const issuers = new Map<string, string>();
  return PREFIXES.flatMap((prefix) => {
    const name = `${prefix}_ISSUER`;
    const issuer = read(name, 'an http or https address without query', isIssuer);
    const credentials = readCredential(read, prefix);
    const [credential, another] = credentials;
    if (another !== undefined) {
      faults.push(`${prefix}_CLIENT_KEY_FILE: cannot be combined with ${prefix}_CLIENT_SECRET`);
    }
    if (read(`${prefix}_CLIENT_AUTH`, '', () => true) !== null && credential?.kind !== 'secret') {
      faults.push(`${prefix}_CLIENT_SECRET: required with ${prefix}_CLIENT_AUTH`);
    }
    if (issuer === null) {
      for (const { setting } of credentials) faults.push(`${name}: required with ${setting}`);
      return [];
    }
    const [before] = [...issuers].find(([, other]) => isSameIssuer(other, issuer)) ?? [];
    if (before !== undefined) faults.push(`${name}: must differ from ${before}`);
    issuers.set(name, issuer);
    return credential === undefined ? [] : [{ issuer, ...credential }];
  });
}

type Without<One, Field extends PropertyKey> = One extends unknown ? Omit<One, Field> : never;
type Credential = Without<ClientSetting, 'issuer'>;

function readCredential(read: Read, prefix: string): Credential[] {
  const secret = read(`${prefix}_CLIENT_SECRET`, '', () => true);
  const file = read(`${prefix}_CLIENT_KEY_FILE`, '', () => true);
  const sent = read(`${prefix}_CLIENT_AUTH`, 'basic or post', isWayToSend);
  const sentBy = sent !== null && isWayToSend(sent) ? sent : null;
  const found: Credential[] = [];
  if (secret !== null) {
    found.push({ setting: `${prefix}_CLIENT_SECRET`, kind: 'secret', secret, sentBy });
  }
  if (file !== null) found.push({ setting: `${prefix}_CLIENT_KEY_FILE`, kind: 'key', file });
  return found;
}

function isWayToSend(value: string): value is 'basic' | 'post' {
  return value === 'basic' || value === 'post';
}

function isIssuer(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return /^https?:$/.test(protocol) && username === '' && password === '' && !/[?#]/.test(value);
}
