// Which characters texts for people may contain. The server, the command line and the forms of the store share this rule.
import { pointerStep } from '../faults/place.ts';

/** `line` is one line such as a title, a name or a description of a picture; `prose` is Markdown of any length. */
export type TextKind = 'line' | 'prose';

/** A sentence about an invalid field, which names the field. `path` is its place in the body, such as `title` or `alt/cover`. */
export type TextFault = { readonly path: string; readonly message: string };

/** Scripts with joining letters. A joiner or non-joiner inside a word is ordinary spelling there. */
const JOINING = [
  ...['Arabic', 'Syriac', 'Nko', 'Mongolian', 'Adlam', 'Devanagari', 'Bengali', 'Gurmukhi'],
  ...['Gujarati', 'Oriya', 'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Tibetan'],
  ...['Myanmar', 'Khmer', 'Javanese', 'Balinese'],
]
  .map((script) => `\\p{scx=${script}}`)
  .join('');
const PICTURE = '\\p{Extended_Pictographic}(?:\\ufe0f|\\p{Emoji_Modifier})?';
/** Sequences in which an invisible character is ordinary. */
const ORDINARY = [
  // The flags of England, Scotland and Wales.
  '\\u{1f3f4}\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}|\\u{e0077}\\u{e006c}\\u{e0073})\\u{e007f}',
  // Emoji that consist of several emoji, such as families.
  `${PICTURE}(?:\\u200d${PICTURE})+`,
  // Variants of emoji, symbols and ideographs.
  '[\\p{Emoji}\\p{S}\\p{scx=Han}\\p{scx=Myanmar}][\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]',
  // One variation selector after a Mongolian letter. The selectors are in that script too, so only a letter may precede one.
  '(?<=(?=\\p{scx=Mongolian})\\p{L})[\\u180b-\\u180f]',
  `(?<=[${JOINING}])(?:(?<=\\p{M})[\\u200c\\u200d]|[\\u200c\\u200d](?=[${JOINING}]))`,
].join('|');
const NEVER_ALLOWED = '\\p{Cs}\\p{Noncharacter_Code_Point}';

const LINE = new RegExp(
  `(?<ordinary>${ORDINARY})|[${NEVER_ALLOWED}\\p{Cc}\\u2028\\u2029\\p{Bidi_Control}\\p{DI}\\ufff9-\\ufffb]`,
  'gu',
);
/** Direction marks and isolates are allowed: bidirectional texts need them, and they do not reverse letters. */
const PROSE = new RegExp(
  `(?<ordinary>${ORDINARY})|[${NEVER_ALLOWED}\\u202d\\u202e\\u{e0000}-\\u{e007f}]|(?![\\t\\n\\r])\\p{Cc}`,
  'gu',
);
/** A character that people can see. */
const READABLE = /[^\p{Z}\p{Cc}\p{Cs}\p{M}\p{DI}\u2800]/u;

/**
 * Describes the first fault of a text, as the end of a sentence that begins with the text's name. Returns null for a valid
 * text and for an empty one.
 */
export function findTextFault(text: string, kind: TextKind): string | null {
  if (text === '') return null;
  const mustBeReadable = kind === 'line' || /\S/.test(text);
  if (mustBeReadable && !READABLE.test(text)) {
    return 'is empty: it contains only spaces and invisible characters';
  }
  for (const { 0: found, groups } of text.matchAll(kind === 'line' ? LINE : PROSE)) {
    if (groups?.['ordinary'] === undefined) return describe(found);
  }
  return null;
}

/** Removes all characters that a line may not contain, for names from other systems. The result may be empty. */
export function cleanLine(text: string): string {
  const clean = text
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replaceAll(LINE, (found, ordinary: string | undefined) =>
      ordinary === undefined ? '' : found,
    )
    .trim();
  return READABLE.test(clean) ? clean : '';
}

/** Returns the first fault of each text of a body. Ignores fields that are not texts for people. */
export function findTextFaults(body: unknown): TextFault[] {
  return Object.entries(Object(body)).flatMap(([name, value]) => {
    if (name === 'alt') return altFaults(value);
    const field = FIELDS.get(name);
    if (field === undefined || typeof value !== 'string') return [];
    return fault(name, value, field);
  });
}

/** A field with a text for people: the kind of text, and the field's name in a sentence. */
type TextField = { readonly kind: TextKind; readonly subject: string };

const FIELDS: ReadonlyMap<string, TextField> = new Map([
  ['title', { kind: 'line', subject: 'The title' }],
  ['tagline', { kind: 'line', subject: 'The tagline' }],
  ['name', { kind: 'line', subject: 'The name' }],
  ['reason', { kind: 'line', subject: 'The reason' }],
  ['note', { kind: 'line', subject: 'The note' }],
  ['text', { kind: 'prose', subject: 'The text of the report' }],
  ['description', { kind: 'prose', subject: 'The description' }],
  ['notes', { kind: 'prose', subject: 'The text of the release notes' }],
]);
const ALT: TextField = { kind: 'line', subject: 'An alternative text' };

function altFaults(texts: unknown): TextFault[] {
  return Object.entries(Object(texts)).flatMap(([name, text]) =>
    typeof text === 'string' ? fault(`alt/${pointerStep(name)}`, text, ALT) : [],
  );
}

function fault(path: string, text: string, { kind, subject }: TextField): TextFault[] {
  const found = findTextFault(text, kind);
  return found === null ? [] : [{ path, message: `${subject} ${found}` }];
}

function describe(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  if (/\p{Cs}/u.test(character)) return `contains half of a character (${name})`;
  if (/[\n\r\u0085\u2028\u2029]/.test(character)) return `contains a line break (${name})`;
  if (/\p{Cc}/u.test(character)) return `contains a control character (${name})`;
  if (/\p{Bidi_Control}/u.test(character)) {
    return `contains an invisible character that changes the direction of text (${name})`;
  }
  return /\p{Noncharacter_Code_Point}/u.test(character)
    ? `contains a code point that is not a character (${name})`
    : `contains an invisible character (${name})`;
}
