// Finds the places of a source at which a plausible fault can be planted, and the faulty text for each.
import { parseSync } from 'rolldown/utils';
import { type Change, faultsAt } from './faults-at.ts';
import { type Node, walk } from './syntax.ts';

/** A planted fault: `text` replaces the source from `start` to `end`. */
export type Mutant = {
  /** Path relative to the repository's root. */
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** The kind of the fault, such as `boundary`. */
  readonly kind: string;
  /** Line of `start`, from 1. */
  readonly line: number;
  /** Whether only functions of the module can notice the fault, although the code runs when the module is loaded. */
  readonly seenByFunctions: boolean;
  readonly id: MutantId;
};

/** Identifies a mutant in the lists. It stays valid while lines move, until the line or its function is edited. */
export type MutantId = {
  readonly file: string;
  /** The function around the fault; `''` at the top of a module. */
  readonly within: string;
  /** The line of the source, trimmed. */
  readonly line: string;
  readonly from: string;
  readonly to: string;
  /** The index among mutants that are otherwise equal, from 0. */
  readonly nth: number;
};

type Fault = Change & { readonly within: string };

/** All mutants of a TypeScript source, in the order of the source. Throws if the source can't be parsed. */
export function findMutants(file: string, source: string): Mutant[] {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`Cannot parse ${file}: ${errors[0]?.message}`);
  const faults: Fault[] = [];
  for (const place of walk({
    node: program as unknown as Node,
    parents: [],
    key: '',
    within: '',
  })) {
    for (const fault of faultsAt(place, source)) faults.push({ ...fault, within: place.within });
  }
  const tables = ownTables(program as unknown as Node, source);
  return identify(file, source, faults).map((mutant) => ({
    ...mutant,
    seenByFunctions: tables.some((one) => one.start <= mutant.start && mutant.end <= one.end),
  }));
}

/** Constants at the top of the module that are not exported, and that only functions use. */
function ownTables(program: Node, source: string): Node[] {
  const statements = program['body'] as Node[];
  const running = statements.filter(
    ({ type }) => type !== 'FunctionDeclaration' && !/^(?:Import|TS)/.test(type),
  );
  return running.filter((statement) => {
    if (statement.type !== 'VariableDeclaration') return false;
    const names = (statement['declarations'] as Node[]).map(
      (one) => (one['id'] as Node)['name'] as string | undefined,
    );
    return running.every((other) => {
      if (other === statement) return true;
      const isFunction = (other['declaration'] as Node | null)?.type === 'FunctionDeclaration';
      const text = source.slice(other.start, other.end);
      return isFunction || names.every((one) => one !== undefined && !hasWord(text, one));
    });
  });
}

function hasWord(text: string, word: string): boolean {
  return text.split(/[^\p{L}\p{N}_$]+/u).includes(word);
}

/** Returns the source with the mutant. */
export function applyMutant(source: string, { start, end, text }: Mutant): string {
  return source.slice(0, start) + text + source.slice(end);
}

/** Gives each distinct fault its id. */
function identify(
  file: string,
  source: string,
  faults: readonly Fault[],
): Omit<Mutant, 'seenByFunctions'>[] {
  const seen = new Map<string, number>();
  const mutants: Omit<Mutant, 'seenByFunctions'>[] = [];
  const known = new Set<string>();
  for (const { start, end, text, kind, within } of faults.toSorted((a, b) => a.start - b.start)) {
    const from = source.slice(start, end);
    const shown = { from: shorten(from), to: shorten(text) };
    const place = `${start} ${end} ${text}`;
    if (from === text || known.has(place)) continue;
    known.add(place);
    const lineStart = source.lastIndexOf('\n', start - 1) + 1;
    const lineEnd = (source.indexOf('\n', start) + source.length + 1) % (source.length + 1);
    const line = source.slice(lineStart, Math.max(lineEnd, start)).trim();
    const like = JSON.stringify([within, line, shown]);
    const nth = seen.get(like) ?? 0;
    seen.set(like, nth + 1);
    mutants.push({
      file,
      start,
      end,
      text,
      kind,
      line: source.slice(0, start).split('\n').length,
      id: { file, within, line, ...shown, nth },
    });
  }
  return mutants;
}

const SHOWN = 100;

/** A text on one line, truncated if it is long. */
function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line;
}
