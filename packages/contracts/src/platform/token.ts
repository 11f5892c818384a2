// The format of a personal access token. A checksum detects a truncated or mistyped token without a request.

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The prefix of every personal access token. */
export const TOKEN_PREFIX = 'svc_';
/** The number of random characters after the prefix. */
export const TOKEN_RANDOM_CHARACTERS = 36;
const CHECKSUM_CHARACTERS = 6;

/**
 * Builds a token from 36 random base62 characters: the prefix, the characters, and their CRC-32 as six base62 digits, most
 * significant first. Throws a RangeError if the input is not 36 base62 characters.
 */
export function formatToken(random: string): string {
  if (!/^[0-9A-Za-z]{36}$/.test(random)) throw new RangeError('Cannot format a token: not base62');
  return `${TOKEN_PREFIX}${random}${checksum(random)}`;
}

/** Draws 36 base62 characters from uniform random bytes. Bytes of 248 and above are discarded, to keep the result uniform. */
export function drawTokenRandom(randomBytes: (count: number) => Uint8Array): string {
  let drawn = '';
  while (drawn.length < TOKEN_RANDOM_CHARACTERS) {
    for (const byte of randomBytes(TOKEN_RANDOM_CHARACTERS * 2)) {
      if (byte < 248 && drawn.length < TOKEN_RANDOM_CHARACTERS) drawn += DIGITS[byte % 62];
    }
  }
  return drawn;
}

/** Returns whether the text has the format of a token: 46 characters with the prefix and a correct checksum. */
export function isWellFormedToken(text: string): boolean {
  if (!/^svc_[0-9A-Za-z]{42}$/.test(text)) return false;
  const random = text.slice(TOKEN_PREFIX.length, TOKEN_PREFIX.length + TOKEN_RANDOM_CHARACTERS);
  return text.slice(-CHECKSUM_CHARACTERS) === checksum(random);
}

function checksum(random: string): string {
  let rest = crc32(random);
  let digits = '';
  for (let index = 0; index < CHECKSUM_CHARACTERS; index++) {
    digits = `${DIGITS[rest % 62]}${digits}`;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** CRC-32 (ISO 3309, as in ZIP) of ASCII text, bit by bit: 36 characters need no table. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let index = 0; index < text.length; index++) {
    crc ^= text.charCodeAt(index);
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
