// The operator's settings of the identity providers. Those of further providers have a number: SVC_OIDC_2_ISSUER.
import type { IdentityProvider } from '../access/identity-provider.ts';
import { createSettingReader, type Environment, type SettingReader } from './setting-reader.ts';

/** The settings of one provider. */
export type ProviderSettings = Omit<IdentityProvider, 'issuerKey'> & {
  /** The name of the setting of its issuer. */
  readonly setting: string;
};

const FIRST = 'SVC_OIDC_';
const OTHERS = [2, 3, 4, 5, 6, 7, 8, 9].map((number) => `${FIRST}${number}_`);
/** A longer issuer is not read from tokens. */
const ISSUER_CHARACTERS = 255;
const NAME_CHARACTERS = 40;
const PARTS = ['AUDIENCE', 'CLI_CLIENT_ID', 'NAME', 'JWKS_URL', 'OFFLINE_ACCESS'] as const;
const ISSUER = `an http or https address without user, query and fragment, of at most ${ISSUER_CHARACTERS} characters`;
const NAME = `one line of at most ${NAME_CHARACTERS} characters`;

/** Reads the settings of all providers, in their order. Adds the faults to the list. */
export function readProviderSettings(
  environment: Environment,
  faults: string[],
): readonly ProviderSettings[] {
  const reader = createSettingReader(environment, faults);
  const providers = [FIRST, ...OTHERS].flatMap((prefix) => readProvider(reader, prefix, faults));
  const [first] = providers;
  if (first !== undefined && first.setting !== `${FIRST}ISSUER`) {
    faults.push(`${FIRST}ISSUER: required with ${first.setting}`);
  }
  faults.push(...findUnknown(environment), ...findRepeated(providers));
  return providers;
}

/** Reads the settings that begin with the prefix. Returns nothing without an issuer; another setting of the provider is a fault then. */
function readProvider(
  { text, check }: SettingReader,
  prefix: string,
  faults: string[],
): readonly ProviderSettings[] {
  const setting = `${prefix}ISSUER`;
  const issuer = check(setting, ISSUER, isIssuer);
  const name = check(`${prefix}NAME`, NAME, isName);
  const jwksUrl = check(`${prefix}JWKS_URL`, 'an http or https address', isAddress);
  const offline = check(`${prefix}OFFLINE_ACCESS`, 'on or off', (value) =>
    /^(?:on|off)$/.test(value),
  );
  if (issuer === null) {
    // A file of settings that is also used with --dev may have the client.
    const part = PARTS.find(
      (one) => text(prefix + one) !== null && prefix + one !== `${FIRST}AUDIENCE`,
    );
    if (part !== undefined) faults.push(`${setting}: required with ${prefix}${part}`);
    return [];
  }
  const clientId = text(`${prefix}AUDIENCE`);
  if (clientId === null) faults.push(`${prefix}AUDIENCE: required with ${setting}`);
  const cliClientId = text(`${prefix}CLI_CLIENT_ID`);
  return [
    {
      ...{ setting, issuer, jwksUrl, offlineAccess: offline !== 'off' },
      name: name ?? hostOf(issuer).slice(0, NAME_CHARACTERS),
      clientId: clientId ?? '',
      cliClientId: cliClientId ?? clientId ?? '',
    },
  ];
}

/** A number that is not read, such as a tenth provider, would be missed silently. */
function findUnknown(environment: Environment): string[] {
  return Object.keys(environment)
    .filter((name) => /^SVC_OIDC_\d+_/.test(name) && !OTHERS.some((one) => name.startsWith(one)))
    .map((name) => `${name}: the number must be from 2 to 9`);
}

/** People and programs choose a provider by its name or its issuer. */
function findRepeated(providers: readonly ProviderSettings[]): string[] {
  return providers.flatMap(({ setting, issuer, name }, index) => {
    const before = providers.slice(0, index);
    const same = before.find((one) => one.issuer === issuer);
    if (same !== undefined) return [`${setting}: is the same as ${same.setting}`];
    const namesake = before.find((one) => one.name.toLowerCase() === name.toLowerCase());
    if (namesake === undefined) return [];
    const [own, other] = [nameOf(setting), nameOf(namesake.setting)];
    return [`${own}: both providers are named alike. Set another name here or with ${other}`];
  });
}

function nameOf(setting: string): string {
  return setting.replace(/ISSUER$/, 'NAME');
}

function hostOf(issuer: string): string {
  return URL.canParse(issuer) ? new URL(issuer).host : issuer;
}

function isName(value: string): boolean {
  return [...value].length <= NAME_CHARACTERS && !/\p{Cc}/u.test(value);
}

/** OpenID Connect Discovery 1.0, section 3: an issuer has no query and no fragment. */
function isIssuer(value: string): boolean {
  if (!isAddress(value) || /[?#]/.test(value) || value.length > ISSUER_CHARACTERS) return false;
  const { username, password } = new URL(value);
  return username === '' && password === '';
}

/** Whether the value is an http or https address. */
export function isAddress(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}
