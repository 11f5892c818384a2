// The shape of a personal access token, so that a cut-off or mistyped one is seen without asking anybody.

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** What every personal access token begins with. */
export const TOKEN_PREFIX = 'svc_';
/** How many random characters follow the prefix. */
export const TOKEN_RANDOM_CHARACTERS = 36;
const CHECKSUM_CHARACTERS = 6;

/**
 * A whole token from 36 base62 characters of randomness: prefix, randomness, and the CRC-32 of the randomness as six
 * base62 digits, most significant first. Throws a RangeError where the randomness is not 36 base62 characters.
 */
export function formatToken(random: string): string {
  if (!/^[0-9A-Za-z]{36}$/.test(random)) throw new RangeError('Cannot format a token: not base62');
  return `${TOKEN_PREFIX}${random}${checksum(random)}`;
}

/** 36 base62 characters drawn from a source of uniform random bytes; bytes from 248 up are drawn again. */
export function drawTokenRandom(randomBytes: (count: number) => Uint8Array): string {
  let drawn = '';
  while (drawn.length < TOKEN_RANDOM_CHARACTERS) {
    for (const byte of randomBytes(TOKEN_RANDOM_CHARACTERS * 2)) {
      if (byte < 248 && drawn.length < TOKEN_RANDOM_CHARACTERS) drawn += DIGITS[byte % 62];
    }
  }
  return drawn;
}

/** Whether the text is a whole token: the prefix, 46 characters, and a checksum that fits. Says nothing of its validity. */
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
