// Finds the operator's blocked words in names, also when they are written with look-alikes, repeated letters or single letters.
import {
  collapseDuplicatesTransformer,
  createSimpleTransformer,
  type Node,
  type ParsedPattern,
  RegExpMatcher,
  resolveConfusablesTransformer,
  resolveLeetSpeakTransformer,
  SyntaxKind,
  toAsciiLowerCaseTransformer,
} from 'obscenity';

export type BlockedWords = {
  /** Whether one of the words is in the text. */
  readonly isIn: (text: string) => boolean;
};

const SPACE = 0x20;
const AROUND = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;
const WORD_CHARACTER = /[\p{L}\p{N}\p{M}]/u;
/** Accents, signs around letters, and invisible characters, but not the marks that make another syllable in Japanese. */
const UNSEEN = /(?![\u3099\u309a])[\p{Script=Inherited}\p{Me}\p{Default_Ignorable_Code_Point}]/gu;
/** Scripts that do not separate words. Words in them are found everywhere. */
const UNSEPARATED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
/** Signs that replace a letter inside of a word. Beside a word they are punctuation. */
const EDGE_SIGNS = /(?<![\p{L}\p{N}@$])[!|(/]+|[!|(/]+(?![\p{L}\p{N}@$])/gu;
/** What is between two single characters: `a.b c`. */
const BETWEEN_SINGLES =
  /(?<=(?<![\p{L}\p{N}@$])[\p{L}\p{N}@$])[^\p{L}\p{N}@$]+(?=[\p{L}\p{N}@$](?![\p{L}\p{N}@$]))/gu;

/** Finds nothing. */
export const NO_BLOCKED_WORDS: BlockedWords = { isIn: () => false };

/** Creates the matcher of the words. Case and accents do not matter. */
export function createBlockedWords(words: readonly string[]): BlockedWords {
  const simple = words.filter(isWord).map(simplify);
  // A letter can be replaced by a digit, or be followed by one that is no part of the word.
  const withDigits = createMatcher(simple, foldWithDigits);
  const lettersOnly = createMatcher(
    simple.filter((word) => [...word].every((one) => /\s/.test(one) || isKept(one, foldLetters))),
    foldLetters,
  );
  return {
    isIn(text) {
      const read = simplify(text);
      const variants = new Set([read, read.replaceAll(BETWEEN_SINGLES, '')]);
      return [...variants].some((variant) => withDigits(variant) || lettersOnly(variant));
    },
  };
}

/** Whether a word has a letter or digit. Without one it would be found in every text. */
export function isWord(word: string): boolean {
  return [...simplify(word)].some((one) => isKept(one, foldWithDigits));
}

function isKept(character: string, fold: Fold): boolean {
  return fold(character.codePointAt(0) ?? SPACE) !== SPACE;
}

function simplify(text: string): string {
  return (
    text
      .normalize('NFKD')
      .replaceAll(UNSEEN, '')
      .normalize('NFC')
      // `ß` becomes `ss`, and `ı` becomes `i`.
      .toLowerCase()
      .toUpperCase()
      .toLowerCase()
      .replaceAll(EDGE_SIGNS, ' ')
      .trim()
  );
}

/** Maps one character to the one that it is compared as. */
type Fold = (codePoint: number) => number;

const confusables = resolveConfusablesTransformer();
const leetSpeak = resolveLeetSpeakTransformer();
const lowerCase = toAsciiLowerCaseTransformer();

const foldWithDigits: Fold = (codePoint) =>
  fold(
    [confusables.transform, leetSpeak.transform, lowerCase.transform],
    codePoint,
    WORD_CHARACTER,
  );
const foldLetters: Fold = (codePoint) =>
  fold([confusables.transform, lowerCase.transform], codePoint, /[\p{L}\p{M}]/u);

function fold(
  steps: readonly ((codePoint: number) => number | undefined)[],
  codePoint: number,
  kept: RegExp,
): number {
  const folded = steps.reduce((value, step) => step(value) ?? SPACE, codePoint);
  return kept.test(String.fromCodePoint(folded)) ? folded : SPACE;
}

/**
 * Returns a function that finds one of the words in a simplified text. An expression is only made of words that are in the text when
 * all its runs are single characters: those of 2000 words would take seconds.
 */
function createMatcher(words: readonly string[], fold: Fold): (text: string) => boolean {
  const keyed = words.map((word) => ({ word, key: singleRuns(edged(word, fold)) }));
  return (text) => {
    const spaced = ` ${text} `;
    const key = singleRuns(foldAll(spaced, fold));
    const near = keyed.filter((one) => key.includes(one.key)).map(({ word }) => word);
    return near.length > 0 && isOneIn(near, spaced, fold);
  };
}

function isOneIn(words: readonly string[], spaced: string, fold: Fold): boolean {
  const matcher = new RegExpMatcher({
    blacklistedTerms: words.map((word, id) => ({ id, pattern: patternOf(word, fold) })),
    blacklistMatcherTransformers: [
      createSimpleTransformer(fold),
      collapseDuplicatesTransformer({
        defaultThreshold: 2,
        customThresholds: new Map([[' ', 1]]),
      }),
    ],
  });
  return matcher.getAllMatches(spaced).some(({ termId, startIndex, endIndex }) => {
    const found = spaced.slice(startIndex, endIndex + 1).replaceAll(AROUND, '');
    // Digits alone spell no word, unless they are the word itself.
    return /\p{L}/u.test(found) || found === words[termId];
  });
}

function foldAll(text: string, fold: Fold): string {
  return [...text].map((one) => String.fromCodePoint(fold(one.codePointAt(0) ?? SPACE))).join('');
}

/** The folded word, between spaces if its script separates words. */
function edged(word: string, fold: Fold): string {
  const edges = UNSEPARATED.test(word) ? '' : ' ';
  return `${edges}${foldAll(word, fold).trim()}${edges}`;
}

function singleRuns(text: string): string {
  return text.replaceAll(/(.)\1+/gsu, '$1');
}

/** The pattern of a word: a letter may be doubled, and one that is doubled may not be single. Longer runs are collapsed before. */
function patternOf(word: string, fold: Fold): ParsedPattern {
  const runs = edged(word, fold).match(/(.)\1*/gsu) ?? [];
  return {
    nodes: runs.flatMap(nodesOfRun),
    requireWordBoundaryAtStart: false,
    requireWordBoundaryAtEnd: false,
  };
}

function nodesOfRun(run: string): Node[] {
  const [first = SPACE] = [...run].map((one) => one.codePointAt(0));
  const literal: Node = { kind: SyntaxKind.Literal, chars: [first] };
  if (first === SPACE) return [literal];
  const isDoubled = [...run].length > 1;
  return [literal, isDoubled ? literal : { kind: SyntaxKind.Optional, childNode: literal }];
}
