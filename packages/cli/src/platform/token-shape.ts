// Checks the form of a personal access token before anything is sent.
import { isWellFormedToken, TOKEN_PREFIX } from '@svc/contracts/platform';

const TOKEN_CHARACTERS = 46;

/** What is wrong with the token, to follow its name in a sentence ("is cut off: …"), or null. Does not repeat the token. */
export function findTokenFault(text: string): string | null {
  if (isWellFormedToken(text)) return null;
  const isPrefixed = text.startsWith(TOKEN_PREFIX);
  if (!isPrefixed && /^[A-Za-z0-9_-]{43}$/.test(text)) {
    return 'is the session token of a local dashboard, which opens that dashboard only. To publish, use a personal access token, which begins with svc_.';
  }
  if (/^ey[\w-]+\.[\w-]+\.[\w-]*$/.test(text)) {
    return 'is an ID token. To publish, use a personal access token, which begins with svc_.';
  }
  if (!isPrefixed) {
    return 'is not a personal access token, which begins with svc_.';
  }
  if (text.length < TOKEN_CHARACTERS) {
    return `is cut off: it has ${text.length} of ${TOKEN_CHARACTERS} characters.`;
  }
  if (text.length > TOKEN_CHARACTERS) {
    return `is too long: it has ${text.length} characters instead of ${TOKEN_CHARACTERS}.`;
  }
  return 'is mistyped: its last six characters, a checksum, do not match the rest.';
}
