// Reads the name of a function from the text around its position. Maps often have no name there: bundlers keep names only where they shorten an identifier, and functions without a name of their own are named by what they are assigned to.

const WORD = String.raw`[#$\w\u0080-\uffff]+`;
const NOT_A_NAME: ReadonlySet<string> = new Set(
  'async await break case catch class const delete do else export extends finally for function if import in instanceof let new of return super switch this throw try typeof var void while with yield'.split(
    ' ',
  ),
);
const MODIFIERS = String.raw`(?:(?:export|default|declare|public|private|protected|override|readonly|static|accessor|abstract|const|let|var)\s+)*`;

const FUNCTION = new RegExp(String.raw`^${MODIFIERS}(?:async\s+)?function\b\s*\*?\s*(${WORD})?`);
const CLASS = new RegExp(String.raw`^${MODIFIERS}class\s+(${WORD})`);
const METHOD = new RegExp(
  String.raw`^${MODIFIERS}(?:async\s+)?(?:\*\s*)?(?:(get|set)\s+)?(${WORD})\s*(?:<[^()]*>\s*)?\(`,
);
/** A function that follows `=` or `:`. */
const VALUE = String.raw`(?:async\b\s*)?(?:function\b|\(|<|${WORD}\s*=>)`;
const ASSIGNED = new RegExp(
  String.raw`^${MODIFIERS}(?:${WORD}\s*\.\s*)*(${WORD})\s*[?!]?\s*(?::[^=;{}()]*)?=\s*${VALUE}`,
);
const PROPERTY = new RegExp(String.raw`^(?:(${WORD})|(['"])([^'"\n]+)\2)\s*:\s*${VALUE}`);

const ASSIGNED_BEFORE = new RegExp(
  String.raw`(${WORD})\s*[?!]?\s*(?::(?:[^=;{}]|=>)*)?(?:\|\||&&|\?\?)?(?<![=!<>])=\s*(?:async\s*)?$`,
);
const PROPERTY_BEFORE = new RegExp(
  String.raw`(?:^|[{,])\s*(?:(${WORD})|(['"])([^'"\n]+)\2)\s*:\s*(?:async\s*)?$`,
);
const CLASS_BEFORE = new RegExp(
  String.raw`\bclass\s+(${WORD})|(?<![#$\w\u0080-\uffff])(${WORD})\s*=\s*class\b(?!\s+(?!extends\b)${WORD})`,
  'g',
);

/** How far the text around a position is read, in UTF-16 units. A class may begin far above its constructor. */
const AHEAD = 2000;
const BEHIND = 300;
const CLASS_BEHIND = 200_000;

/**
 * The name of the function at `at`, the offset in `source` to which a map leads: its name, its keyword, its first parenthesis or
 * its first parameter. The name of a constructor is that of its class, and accessors are named `get x`, as V8 does. Null if the
 * function has no name or the text shows no function.
 */
export function readFunctionName(source: string, at: number): string | null {
  const before = source.slice(Math.max(0, at - BEHIND), at);
  const ahead = source.slice(at, at + AHEAD);
  const after = ahead.trimStart();
  const named = FUNCTION.exec(after);
  if (named !== null) return named[1] ?? assignedBefore(before);
  const [, className] = CLASS.exec(after) ?? [];
  if (className !== undefined) return className;
  return methodAt(source, at, before, after) ?? valueAt(before, after);
}

function methodAt(source: string, at: number, before: string, after: string): string | null {
  const [head = '', accessor, name = ''] = METHOD.exec(after) ?? [];
  if (name === '' || NOT_A_NAME.has(name)) return null;
  if (/\bfunction\s*\*?\s*$/.test(before)) return name;
  if (!hasBody(after, head.length)) return null;
  if (name === 'constructor') return classBefore(source.slice(Math.max(0, at - CLASS_BEHIND), at));
  const kind = accessor ?? /\b(get|set)\s+$/.exec(before)?.[1];
  return kind === undefined ? name : `${kind} ${name}`;
}

/** Whether a body follows the parameters that begin at `from`, so that the text is a method and not a call. */
function hasBody(text: string, from: number): boolean {
  let depth = 1;
  for (let i = from; i < text.length; i++) {
    const char = text[i];
    if (char === '(' || char === '[' || char === '{') depth++;
    else if (char === ')' || char === ']' || char === '}') depth--;
    if (depth === 0) return /^\)\s*(?::[^;=]*)?\{/.test(text.slice(i));
  }
  return false;
}

function classBefore(text: string): string | null {
  let name: string | null = null;
  for (const [, own, assigned] of text.matchAll(CLASS_BEFORE)) name = own ?? assigned ?? name;
  return name;
}

/** The name of a function without one of its own: what it is assigned to. */
function valueAt(before: string, after: string): string | null {
  const isParameter = /\(\s*$/.test(before);
  const [, assigned] = isParameter ? [] : (ASSIGNED.exec(after) ?? []);
  if (assigned !== undefined && !NOT_A_NAME.has(assigned)) return assigned;
  const [, word, , quoted] = isParameter ? [] : (PROPERTY.exec(after) ?? []);
  if (word !== undefined || quoted !== undefined) return word ?? quoted ?? null;
  return /^[(<]|^async\b/.test(after)
    ? assignedBefore(before)
    : assignedBefore(before.replace(/\(\s*$/, ''));
}

function assignedBefore(before: string): string | null {
  const [, assigned] = ASSIGNED_BEFORE.exec(before) ?? [];
  if (assigned !== undefined && !NOT_A_NAME.has(assigned)) return assigned;
  const [, word, , quoted] = PROPERTY_BEFORE.exec(before) ?? [];
  return word ?? quoted ?? null;
}
