// The operator's settings, read from environment variables. All faults are reported in one error, without values.

import { type ObserveSettings, readObserveSettings } from '@svc/observe';
import { readContacts } from '@svc/serve';
import { readClientSettings } from './client-settings.ts';
import type { ClientSetting } from './session/client-credential.ts';
import { type FooterLink, readFooterLinks } from './visit/footer-links.ts';

/** The settings. A setting whose variable is missing or empty is null. */
export type Settings = {
  /** Address of the API, without a trailing slash. */
  readonly apiUrl: string | null;
  /** The origin at which browsers reach this site. */
  readonly origin: string | null;
  /** The secret that encrypts session cookies: 32 characters or more. */
  readonly secret: string | null;
  /** Secrets whose cookies are accepted too, while the operator changes the secret. */
  readonly otherSecrets: readonly string[];
  /** The postgres:// address of the database that several processes of this site share. */
  readonly databaseUrl: string | null;
  /** How long the site may take to end after a signal, in seconds. */
  readonly drainSeconds: number | null;
  /** Name of the store on its pages. */
  readonly name: string | null;
  /** The operator's own links in the footer. */
  readonly footerLinks: readonly FooterLink[];
  /** Address or address range of the reverse proxy whose X-Forwarded-For header is trusted. */
  readonly trustProxy: string | null;
  /** Whom to contact about a vulnerability. Empty: there is no security.txt. */
  readonly securityContacts: readonly string[];
  /** The identity providers that know the store as a confidential client. */
  readonly clients: readonly ClientSetting[];
  readonly observe: ObserveSettings;
};

const SECRET_CHARACTERS = 32;
/** A random secret has more, even one of 32 hexadecimal digits. */
const DIFFERENT_CHARACTERS = 8;
const STRONG_SECRET = `${SECRET_CHARACTERS} random characters or more, such as the output of openssl rand -hex 32`;

const MOST_DRAIN_SECONDS = 3600;

/** Reads the settings. Throws one error that names every invalid variable, but no value. */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const faults: string[] = [];
  const read = (
    name: string,
    wanted: string,
    isValid: (value: string) => boolean,
  ): string | null => {
    const value = environment[name]?.trim() ?? '';
    if (value === '') return null;
    if (!isValid(value)) faults.push(`${name}: must be ${wanted}`);
    return value;
  };
  const settings: Settings = {
    apiUrl: trimSlash(read('SVC_API', 'an http or https address without query', isBase)),
    origin: trimSlash(read('SVC_WEB_ORIGIN', 'an origin such as https://games.example', isOrigin)),
    secret: read('SVC_WEB_SECRET', STRONG_SECRET, isStrong),
    otherSecrets: words(
      read('SVC_WEB_OTHER_SECRETS', `secrets separated by spaces, each ${STRONG_SECRET}`, (value) =>
        words(value).every(isStrong),
      ),
    ),
    databaseUrl: read('SVC_WEB_DATABASE_URL', 'a postgres:// address', isPostgres),
    drainSeconds: asNumber(
      read(
        'SVC_DRAIN_SECONDS',
        `a whole number of seconds from 0 to ${MOST_DRAIN_SECONDS}`,
        isDrain,
      ),
    ),
    name: read('SVC_WEB_NAME', 'at most 40 characters', (value) => [...value].length <= 40),
    footerLinks:
      readFooterLinks(
        read(
          'SVC_WEB_LINKS',
          'at most 8 links such as Imprint=https://games.example/imprint, separated by semicolons',
          (value) => readFooterLinks(value) !== null,
        ) ?? '',
      ) ?? [],
    trustProxy: read('SVC_TRUST_PROXY', 'an address or a range such as 10.0.0.0/8', (value) =>
      /^[0-9a-f.:]+(?:\/\d{1,3})?$/i.test(value),
    ),
    securityContacts: words(
      read(
        'SVC_SECURITY_CONTACT',
        'mailto: and https: addresses, separated by spaces',
        (list) => readContacts(list) !== null,
      ),
    ),
    clients: readClientSettings(read, faults),
    observe: readObserveSettings(environment, faults),
  };
  if (settings.databaseUrl !== null) {
    const reason = 'required with SVC_WEB_DATABASE_URL, with the same value for every process';
    if (settings.secret === null) faults.push(`SVC_WEB_SECRET: ${reason}`);
    if (settings.origin === null) faults.push(`SVC_WEB_ORIGIN: ${reason}`);
  }
  if (settings.secret === null && settings.otherSecrets.length > 0) {
    faults.push('SVC_WEB_SECRET: required with SVC_WEB_OTHER_SECRETS');
  }
  if (faults.length > 0) {
    throw new Error(
      `Cannot start with these settings:\n${faults.map((fault) => `  ${fault}`).join('\n')}`,
    );
  }
  return settings;
}

function trimSlash(address: string | null): string | null {
  return address?.replace(/\/+$/, '') ?? null;
}

function words(value: string | null): string[] {
  return value === null ? [] : value.split(/\s+/);
}

function asNumber(value: string | null): number | null {
  return value === null ? null : Number(value);
}

function isDrain(value: string): boolean {
  return /^\d{1,4}$/.test(value) && Number(value) <= MOST_DRAIN_SECONDS;
}

function isStrong(secret: string): boolean {
  return secret.length >= SECRET_CHARACTERS && new Set(secret).size >= DIFFERENT_CHARACTERS;
}

function isPostgres(value: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(value) && URL.canParse(value);
}

function isBase(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, username } = new URL(value);
  return /^https?:$/.test(protocol) && username === '' && !/[?#]/.test(value);
}

function isOrigin(value: string): boolean {
  return isBase(value) && new URL(value).origin === value.replace(/\/+$/, '');
}
