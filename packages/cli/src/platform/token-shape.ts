// What is wrong with a text that should be a personal access token: seen here, before anything is sent.
import { isWellFormedToken, TOKEN_PREFIX } from '@svc/contracts/platform';

const TOKEN_CHARACTERS = 46;

/** A predicate for a sentence ("is cut off: …"), or null where the token is whole. Never repeats the text. */
export function findTokenFault(text: string): string | null {
  if (isWellFormedToken(text)) return null;
  const isPrefixed = text.startsWith(TOKEN_PREFIX);
  if (!isPrefixed && /^[A-Za-z0-9_-]{43}$/.test(text)) {
    return 'is the session token of a local dashboard. It opens that dashboard only; publishing needs a personal access token, which begins with svc_.';
  }
  if (/^ey[\w-]+\.[\w-]+\.[\w-]*$/.test(text)) {
    return 'is an ID token. Publishing needs a personal access token, which begins with svc_.';
  }
  if (!isPrefixed) {
    return 'is no personal access token: those begin with svc_.';
  }
  if (text.length < TOKEN_CHARACTERS) {
    return `is cut off: it has ${text.length} of ${TOKEN_CHARACTERS} characters.`;
  }
  if (text.length > TOKEN_CHARACTERS) {
    return `is too long: it has ${text.length} characters instead of ${TOKEN_CHARACTERS}.`;
  }
  return 'is mistyped: its last six characters, a checksum, do not fit the rest.';
}
