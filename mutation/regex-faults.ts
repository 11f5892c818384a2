// Plausible faults in a regular expression: an anchor, an alternative or a quantifier that is missing or wrong.

/** All faulty forms of a literal: `/a|b$/i`, `/b$/i` and others for `/^a|b$/i`. All of them compile. */
export function faultyRegexes(pattern: string, flags: string): string[] {
  const faulty = [...pieceFaults(pattern), ...withoutAlternatives(pattern)]
    .filter((one) => one !== pattern && one !== '')
    .map((one) => ({ pattern: one, flags }));
  const fewerFlags = ['i', 'm', 's']
    .filter((flag) => flags.includes(flag))
    .map((flag) => ({ pattern, flags: flags.replace(flag, '') }));
  return [...faulty, ...fewerFlags]
    .filter((one) => compiles(one.pattern, one.flags))
    .map((one) => `/${one.pattern}/${one.flags}`);
}

function compiles(pattern: string, flags: string): boolean {
  try {
    new RegExp(pattern, flags);
    return true;
  } catch {
    return false;
  }
}

type Piece = {
  readonly kind: 'class' | 'anchor' | 'open' | 'close' | 'or' | 'quantifier' | 'other';
  readonly start: number;
  readonly end: number;
};

function* pieceFaults(pattern: string): Generator<string> {
  for (const { kind, start, end } of piecesOf(pattern)) {
    const text = pattern.slice(start, end);
    const put = (replacement: string): string =>
      pattern.slice(0, start) + replacement + pattern.slice(end);
    if (kind === 'anchor') yield put('');
    if (kind === 'class') {
      yield put(text.startsWith('[^') ? `[${text.slice(2)}` : `[^${text.slice(1)}`);
    }
    if (kind === 'quantifier') for (const other of otherQuantifiers(text)) yield put(other);
  }
}

/** Another quantifier, such as `+` for `*`, and each bound of `{m,n}` incremented. */
function otherQuantifiers(text: string): string[] {
  const lazy = text.length > 1 && text.endsWith('?') ? '?' : '';
  if (text.startsWith('*')) return [`+${lazy}`];
  if (text.startsWith('+')) return [lazy === '' ? '' : '{1}'];
  if (text.startsWith('?')) return [''];
  const [, low = '', comma = '', high = ''] = /^\{(\d+)(,?)(\d*)\}/.exec(text) ?? [];
  const more = (bound: string): number => Number(bound) + 1;
  if (comma === '') return [`{${more(low)}}${lazy}`];
  const lower = `{${more(low)},${high}}${lazy}`;
  return high === '' ? [lower] : [lower, `{${low},${more(high)}}${lazy}`];
}

/** The pattern without one of its alternatives, for each alternative at each level. */
function* withoutAlternatives(pattern: string): Generator<string> {
  type Level = { readonly start: number; readonly bars: number[] };
  const levels: Level[] = [{ start: 0, bars: [] }];
  const closed: { level: Level; end: number }[] = [];
  for (const { kind, start, end } of piecesOf(pattern)) {
    if (kind === 'open') levels.push({ start: end, bars: [] });
    if (kind === 'or') levels.at(-1)?.bars.push(start);
    const level = kind === 'close' ? levels.pop() : undefined;
    if (level !== undefined) closed.push({ level, end: start });
  }
  const [whole] = levels;
  if (whole !== undefined) closed.push({ level: whole, end: pattern.length });
  for (const { level, end } of closed) {
    if (level.bars.length === 0) continue;
    const starts = [level.start, ...level.bars.map((bar) => bar + 1)];
    const ends = [...level.bars, end];
    const parts = starts.map((start, i) => pattern.slice(start, ends[i]));
    for (const i of parts.keys()) {
      const rest = parts.toSpliced(i, 1).join('|');
      yield pattern.slice(0, level.start) + rest + pattern.slice(end);
    }
  }
}

/** The tokens of the pattern. */
function* piecesOf(pattern: string): Generator<Piece> {
  const forms: readonly (readonly [Piece['kind'], RegExp])[] = [
    ['anchor', /\\[bB]|[$^]/y],
    ['other', /\\(?:[pPu]\{[^}]*\}|k<[^>]*>|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[a-zA-Z]|.)/suy],
    ['class', /\[(?:\\.|[^\]\\])*\]/suy],
    ['open', /\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?/y],
    ['close', /\)/y],
    ['or', /\|/y],
    ['quantifier', /(?:[*+?]|\{\d+(?:,\d*)?\})\??/y],
    ['other', /[\s\S]/y],
  ];
  for (let at = 0; at < pattern.length; ) {
    for (const [kind, form] of forms) {
      form.lastIndex = at;
      const [text] = form.exec(pattern) ?? [];
      if (text === undefined) continue;
      yield { kind, start: at, end: at + text.length };
      at += text.length;
      break;
    }
  }
}
