// `security.txt`: whom to contact about a vulnerability (RFC 9116).

const DAY_MS = 24 * 3600 * 1000;
/** The file is made for each request, so it never expires while the server runs. RFC 9116 recommends less than a year. */
const VALID_DAYS = 30;

/** The path on the origin of each server. */
export const SECURITY_TEXT_PATH = '/.well-known/security.txt';

/** Returns the text. `contacts` are addresses such as `mailto:security@games.example`, the preferred one first. */
export function securityText(contacts: readonly string[], origin: string, now: number): string {
  const expires = new Date((Math.floor(now / DAY_MS) + VALID_DAYS) * DAY_MS);
  return [
    ...contacts.map((contact) => `Contact: ${contact}`),
    `Expires: ${expires.toISOString()}`,
    `Canonical: ${origin}${SECURITY_TEXT_PATH}`,
    '',
  ].join('\n');
}

/**
 * Reads the contacts of a setting: mailto: and https: addresses, separated by spaces. Returns null if one is neither.
 */
export function readContacts(setting: string): string[] | null {
  const contacts = setting.split(/[\s,]+/).filter((contact) => contact !== '');
  return contacts.every(isContact) ? contacts : null;
}

function isContact(contact: string): boolean {
  if (!URL.canParse(contact)) return false;
  const { protocol } = new URL(contact);
  return (
    protocol === 'https:' || (protocol === 'mailto:' && /^mailto:[^@\s]+@[^@\s]+$/.test(contact))
  );
}
