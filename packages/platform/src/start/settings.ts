// The operator's settings from the environment. They are read once and checked. Errors list all faults and show no values.
import { PLATFORM_LIMITS, type PlatformLimits } from '@svc/contracts/platform';
import { type ObserveSettings, readObserveSettings } from '@svc/observe';
import { readContacts } from '@svc/serve';
import type { StorageSettings } from '../files/s3/connect-store.ts';
import type { HookSettings } from '../hook/publish-hook.ts';
import type { MailSettings } from '../mail/open-transport.ts';
import { readHookSettings } from './hook-settings.ts';
import { isAddress, type ProviderSettings, readProviderSettings } from './identity-settings.ts';
import { readMailSettings } from './mail-settings.ts';
import { createSettingReader } from './setting-reader.ts';
import { readStorageSettings } from './storage-settings.ts';

/** The settings in the environment. An unset one has its default, or is null if it has none. */
export type Settings = {
  readonly publicUrl: string | null;
  readonly webOrigin: string | null;
  readonly playOrigin: string | null;
  /** The identity providers. Empty if none is set. */
  readonly providers: readonly ProviderSettings[];
  /** Issuers of CI identities that may be at private addresses. */
  readonly privateIssuers: readonly string[];
  /** The folder of the database and files. Null: that of the command. */
  readonly dataDir: string | null;
  readonly databaseUrl: string | null;
  /** The most connections to PostgreSQL. */
  readonly databasePool: number;
  /** Time limit in milliseconds for a connection to PostgreSQL and for a statement. */
  readonly databaseTimeoutMs: number;
  /** Whether the start migrates the database. */
  readonly migrate: boolean;
  /** How long the server may take to end after a signal. */
  readonly drainSeconds: number;
  /** Null: files are stored in the data folder. */
  readonly storage: StorageSettings | null;
  readonly developerSignup: 'open' | 'closed' | null;
  readonly developers: readonly string[];
  /** Where rate limits are counted: by all processes in PostgreSQL, or by each in its memory. Null: shared on PostgreSQL, else own. */
  readonly rateLimit: 'shared' | 'own' | 'off' | null;
  /** Whether plays, page views and missing files are counted. */
  readonly stats: boolean;
  readonly trustProxy: string | null;
  /** A publish without a heartbeat for this time is abandoned. */
  readonly publishLeaseSeconds: number;
  /** The hook that judges builds. Null: none. */
  readonly publishHook: HookSettings | null;
  /** The file of words that names must not contain. Null: none. */
  readonly blockedWords: string | null;
  /** The folder for temporary files. Null: in the data folder. */
  readonly spoolDir: string | null;
  /** Size of the local cache in front of an object store; 0 for none. */
  readonly cacheMib: number;
  /** The folder of the cache. Null: in the data folder. */
  readonly cacheDir: string | null;
  /** The status of the answers for a game that was taken down. */
  readonly takenDownStatus: 404 | 451;
  /** The operator's mail server. Null: notices are not sent by e-mail. */
  readonly mail: MailSettings | null;
  /** Whom to contact about a vulnerability. Empty: there is no security.txt. */
  readonly securityContacts: readonly string[];
  readonly observe: ObserveSettings;
  readonly limits: PlatformLimits;
};

const CONTACTS = 'mailto: and https: addresses, separated by spaces';

/** Reads the settings. Throws a {@link SettingsError} with all faults. */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const faults: string[] = [];
  const { text, check, count } = createSettingReader(environment, faults);
  const settings: Settings = {
    publicUrl: trimSlash(check('SVC_PUBLIC_URL', 'an http or https address without query', isBase)),
    webOrigin: trimSlash(
      check('SVC_WEB_ORIGIN', 'an origin such as https://games.example', isOrigin),
    ),
    playOrigin: trimSlash(
      check(
        'SVC_PLAY_ORIGIN',
        'an origin whose host may contain {slug} once, but not in its last part: https://{slug}.play.example',
        isPlayOrigin,
      ),
    ),
    providers: readProviderSettings(environment, faults),
    privateIssuers: words(
      check('SVC_PRIVATE_ISSUERS', 'http or https addresses, separated by spaces', areAddresses),
    ),
    dataDir: text('SVC_DATA_DIR'),
    databaseUrl: check('SVC_DATABASE_URL', 'a postgres:// address', isPostgres),
    databasePool: count('SVC_DATABASE_POOL', 16, [2, 1000]),
    databaseTimeoutMs: count('SVC_DATABASE_TIMEOUT_MS', 4000, [100, 60_000]),
    migrate: check('SVC_MIGRATE', 'on or off', isSwitch) !== 'off',
    drainSeconds: count('SVC_DRAIN_SECONDS', 30, [0, 3600]),
    storage: readStorageSettings(environment, faults),
    developerSignup: asSignup(check('SVC_DEVELOPER_SIGNUP', 'open or closed', isSignup)),
    developers: words(text('SVC_DEVELOPERS')),
    rateLimit: asRateLimit(check('SVC_RATE_LIMIT', 'shared, own or off', isRateLimit)),
    stats: check('SVC_STATS', 'on or off', isSwitch) !== 'off',
    trustProxy: check('SVC_TRUST_PROXY', 'addresses or ranges such as 10.0.0.0/8', areRanges),
    publishLeaseSeconds: count('SVC_PUBLISH_LEASE_SECONDS', 12, [1, 3600]),
    publishHook: readHookSettings(environment, faults),
    blockedWords: text('SVC_BLOCKED_WORDS'),
    spoolDir: text('SVC_SPOOL_DIR'),
    cacheMib: count('SVC_CACHE_MIB', 1024, [0, 100_000_000]),
    cacheDir: text('SVC_CACHE_DIR'),
    takenDownStatus:
      check('SVC_TAKEN_DOWN_STATUS', '404 or 451', isTakenDownStatus) === '451' ? 451 : 404,
    securityContacts: words(
      check('SVC_SECURITY_CONTACT', CONTACTS, (list) => readContacts(list) !== null),
    ),
    mail: readMailSettings(environment, faults),
    observe: readObserveSettings(environment, faults),
    limits: readLimits(environment, faults),
  };
  if (settings.rateLimit === 'shared' && settings.databaseUrl === null) {
    faults.push('SVC_RATE_LIMIT: shared needs PostgreSQL. Set SVC_DATABASE_URL, or use own');
  }
  if (faults.length > 0) throw new SettingsError(faults);
  return settings;
}

/** All faults of the settings, without values, because these may be secrets. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(`Cannot start with these settings:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.faults = faults;
  }
}

/** Limits that may be 0, with the largest value that they may have. */
const FROM_ZERO: Readonly<Record<string, number>> = { deleted_game_days: 365, audit_days: 36_500 };

/** Reads the limits: `SVC_LIMIT_BUILD_ZIP_BYTES` sets `build_zip_bytes`, and so on. */
function readLimits(
  environment: Readonly<Record<string, string | undefined>>,
  faults: string[],
): PlatformLimits {
  const limits: Record<string, number> = { ...PLATFORM_LIMITS };
  for (const name of Object.keys(environment).filter((one) => one.startsWith('SVC_LIMIT_'))) {
    const limit = name.slice('SVC_LIMIT_'.length).toLowerCase();
    const value = environment[name]?.trim() ?? '';
    const most = FROM_ZERO[limit];
    if (!Object.hasOwn(PLATFORM_LIMITS, limit)) faults.push(`${name}: there is no such limit`);
    else if (most !== undefined && !isCountTo(value, most))
      faults.push(`${name}: must be a whole number from 0 to ${most}`);
    else if (most === undefined && !/^[1-9][0-9]{0,14}$/.test(value))
      faults.push(`${name}: must be a whole number from 1`);
    else limits[limit] = Number(value);
  }
  return { ...PLATFORM_LIMITS, ...limits };
}

function isCountTo(value: string, most: number): boolean {
  return /^(?:0|[1-9][0-9]{0,8})$/.test(value) && Number(value) <= most;
}

function trimSlash(address: string | null): string | null {
  return address?.replace(/\/+$/, '') ?? null;
}

function words(list: string | null): string[] {
  return (list ?? '').split(/[\s,]+/).filter((word) => word !== '');
}

function areAddresses(list: string): boolean {
  return words(list).every(isAddress);
}

const RATE_LIMITS = ['shared', 'own', 'off'] as const;

function asRateLimit(value: string | null): Settings['rateLimit'] {
  return RATE_LIMITS.find((one) => one === value) ?? null;
}

/** Earlier versions had only on and off. */
function isRateLimit(value: string): boolean {
  return value === 'on' || RATE_LIMITS.some((one) => one === value);
}

function asSignup(value: string | null): 'open' | 'closed' | null {
  return value === 'open' || value === 'closed' ? value : null;
}

function isSignup(value: string): boolean {
  return value === 'open' || value === 'closed';
}

function isTakenDownStatus(value: string): boolean {
  return value === '404' || value === '451';
}

function isSwitch(value: string): boolean {
  return value === 'on' || value === 'off';
}

function isBase(value: string): boolean {
  return isAddress(value) && !/[?#]/.test(value) && new URL(value).username === '';
}

function isOrigin(value: string): boolean {
  return isAddress(value) && new URL(value).origin === value.replace(/\/+$/, '');
}

function isPlayOrigin(value: string): boolean {
  const example = value.replace('{slug}', 'slug');
  if (!isOrigin(example) || example.includes('{')) return false;
  // A slug of digits in the last part would make the host an IPv4 address.
  return !value.includes('{slug}') || /\{slug\}[^/]*\.[^/]+$/.test(trimSlash(value) ?? '');
}

function isPostgres(value: string): boolean {
  return /^postgres(ql)?:\/\//.test(value) && URL.canParse(value);
}

function areRanges(value: string): boolean {
  return value
    .split(',')
    .every((range) =>
      /^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f:]+:[0-9a-f:.]*)(?:\/\d{1,3})?$/i.test(range.trim()),
    );
}
