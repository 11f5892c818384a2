// What an operator may set, as the environment tells it: read once, all faults told at once, secrets never shown.

/** The settings that the environment holds; null where it says nothing. */
export type Settings = {
  /** Address of the API, without a slash at its end. */
  readonly apiUrl: string | null;
  /** Where browsers reach this site: an origin. */
  readonly origin: string | null;
  /** What session cookies are sealed with: 32 characters or more. */
  readonly secret: string | null;
  /** Name of the store, as pages show it. */
  readonly name: string | null;
  /** An address range of the proxy in front, whose X-Forwarded-For is believed. */
  readonly trustProxy: string | null;
};

const SECRET_CHARACTERS = 32;

/** Reads the settings. Throws one error that names every fault and no value. */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const faults: string[] = [];
  const read = (name: string, wanted: string, holds: (value: string) => boolean): string | null => {
    const value = environment[name]?.trim() ?? '';
    if (value === '') return null;
    if (!holds(value)) faults.push(`${name}: must be ${wanted}`);
    return value;
  };
  const settings: Settings = {
    apiUrl: trimSlash(read('SVC_API', 'an http or https address without query', isBase)),
    origin: trimSlash(read('SVC_WEB_ORIGIN', 'an origin such as https://games.example', isOrigin)),
    secret: read(
      'SVC_WEB_SECRET',
      `${SECRET_CHARACTERS} characters or more`,
      (value) => value.length >= SECRET_CHARACTERS,
    ),
    name: read('SVC_WEB_NAME', 'at most 40 characters', (value) => [...value].length <= 40),
    trustProxy: read('SVC_TRUST_PROXY', 'an address or a range such as 10.0.0.0/8', (value) =>
      /^[0-9a-f.:]+(?:\/\d{1,3})?$/i.test(value),
    ),
  };
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

function isBase(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, username } = new URL(value);
  return /^https?:$/.test(protocol) && username === '' && !/[?#]/.test(value);
}

function isOrigin(value: string): boolean {
  return isBase(value) && new URL(value).origin === value.replace(/\/+$/, '');
}
