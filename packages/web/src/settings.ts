// The operator's settings, read from environment variables. All faults are reported in one error, without values.

/** The settings. A setting whose variable is missing or empty is null. */
export type Settings = {
  /** Address of the API, without a trailing slash. */
  readonly apiUrl: string | null;
  /** The origin at which browsers reach this site. */
  readonly origin: string | null;
  /** The secret that encrypts session cookies: 32 characters or more. */
  readonly secret: string | null;
  /** Name of the store on its pages. */
  readonly name: string | null;
  /** Address or address range of the reverse proxy whose X-Forwarded-For header is trusted. */
  readonly trustProxy: string | null;
};

const SECRET_CHARACTERS = 32;

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
