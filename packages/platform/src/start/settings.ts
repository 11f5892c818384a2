// The operator's settings from the environment. They are read once and checked. Errors list all faults and show no values.
import { PLATFORM_LIMITS, type PlatformLimits } from '@svc/contracts/platform';

/** The settings in the environment; null if one is unset. */
export type Settings = {
  readonly publicUrl: string | null;
  readonly webOrigin: string | null;
  readonly playOrigin: string | null;
  readonly oidcIssuer: string | null;
  readonly oidcAudience: string | null;
  readonly oidcJwksUrl: string | null;
  readonly databaseUrl: string | null;
  readonly developerSignup: 'open' | 'closed' | null;
  readonly developers: readonly string[];
  readonly rateLimit: boolean;
  readonly trustProxy: string | null;
  readonly limits: PlatformLimits;
};

/** Reads the settings. Throws a {@link SettingsError} with all faults. */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const faults: string[] = [];
  const text = (name: string): string | null => {
    const value = environment[name]?.trim();
    return value === undefined || value === '' ? null : value;
  };
  const check = (
    name: string,
    wanted: string,
    isValid: (value: string) => boolean,
  ): string | null => {
    const value = text(name);
    if (value !== null && !isValid(value)) faults.push(`${name}: must be ${wanted}`);
    return value;
  };
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
    oidcIssuer: check('SVC_OIDC_ISSUER', 'an http or https address', isAddress),
    oidcAudience: text('SVC_OIDC_AUDIENCE'),
    oidcJwksUrl: check('SVC_OIDC_JWKS_URL', 'an http or https address', isAddress),
    databaseUrl: check('SVC_DATABASE_URL', 'a postgres:// address', isPostgres),
    developerSignup: asSignup(check('SVC_DEVELOPER_SIGNUP', 'open or closed', isSignup)),
    developers: (text('SVC_DEVELOPERS') ?? '').split(/[\s,]+/).filter((one) => one !== ''),
    rateLimit: check('SVC_RATE_LIMIT', 'on or off', isSwitch) !== 'off',
    trustProxy: check('SVC_TRUST_PROXY', 'addresses or ranges such as 10.0.0.0/8', areRanges),
    limits: readLimits(environment, faults),
  };
  const storage = text('SVC_STORAGE_URL');
  if (storage !== null)
    faults.push('SVC_STORAGE_URL: not supported yet. Unset it to store files in the data folder');
  if (settings.oidcIssuer !== null && settings.oidcAudience === null) {
    faults.push('SVC_OIDC_AUDIENCE: required with SVC_OIDC_ISSUER');
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

/** Reads the limits: `SVC_LIMIT_BUILD_ZIP_BYTES` sets `build_zip_bytes`, and so on. */
function readLimits(
  environment: Readonly<Record<string, string | undefined>>,
  faults: string[],
): PlatformLimits {
  const limits: Record<string, number> = { ...PLATFORM_LIMITS };
  for (const name of Object.keys(environment).filter((one) => one.startsWith('SVC_LIMIT_'))) {
    const limit = name.slice('SVC_LIMIT_'.length).toLowerCase();
    const value = environment[name]?.trim() ?? '';
    if (!Object.hasOwn(PLATFORM_LIMITS, limit)) faults.push(`${name}: there is no such limit`);
    else if (!/^[1-9][0-9]{0,14}$/.test(value))
      faults.push(`${name}: must be a whole number from 1`);
    else limits[limit] = Number(value);
  }
  return { ...PLATFORM_LIMITS, ...limits };
}

function trimSlash(address: string | null): string | null {
  return address?.replace(/\/+$/, '') ?? null;
}

function asSignup(value: string | null): 'open' | 'closed' | null {
  return value === 'open' || value === 'closed' ? value : null;
}

function isSignup(value: string): boolean {
  return value === 'open' || value === 'closed';
}

function isSwitch(value: string): boolean {
  return value === 'on' || value === 'off';
}

function isAddress(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
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
