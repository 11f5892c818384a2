// Finds the places of a source where a plausible fault can be planted, and what would stand there instead.
import { parseSync } from 'rolldown/utils';
import { faultyRegexes } from './regex-faults.ts';

/** One fault: the text from `start` to `end` becomes `text`. */
export type Mutant = {
  /** Path below the repository's root. */
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** What was changed, e.g. `boundary`. */
  readonly kind: string;
  /** Line of `start`, from 1. */
  readonly line: number;
  /** True where only the module's own functions can see it, although it runs when the module is loaded. */
  readonly seenByFunctions: boolean;
  readonly id: MutantId;
};

/** What names a mutant in the lists: it holds while lines move, and ends when the line or its function is rewritten. */
export type MutantId = {
  readonly file: string;
  /** The function around it, `''` at the top of a module. */
  readonly within: string;
  /** The source's line, trimmed. */
  readonly line: string;
  readonly from: string;
  readonly to: string;
  /** Which of several that are alike otherwise, from 0. */
  readonly nth: number;
};

type Node = { readonly type: string; readonly start: number; readonly end: number } & {
  readonly [key: string]: unknown;
};

type Fault = { start: number; end: number; text: string; kind: string; within: string };

type Place = {
  readonly node: Node;
  readonly parents: readonly Node[];
  /** The key of the parent under which the node stands. */
  readonly key: string;
  readonly within: string;
};

/** Every mutant of a TypeScript source, by rising place. Throws where the source does not parse. */
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
  return name(file, source, faults).map((mutant) => ({
    ...mutant,
    seenByFunctions: tables.some((one) => one.start <= mutant.start && mutant.end <= one.end),
  }));
}

/** Constants at the top of the module that are neither exported nor used by other code that runs when it is loaded. */
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

/** The source with the mutant in it. */
export function applyMutant(source: string, { start, end, text }: Mutant): string {
  return source.slice(0, start) + text + source.slice(end);
}

function name(
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

/** A text on one line, cut where it is long. */
function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line;
}

const TYPE_KEYS = new Set([
  ...['typeAnnotation', 'typeParameters', 'typeArguments', 'returnType', 'implements'],
  ...['superTypeArguments', 'decorators'],
]);

const EXPRESSIONS_WITH_TYPES = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSInstantiationExpression',
  'TSTypeAssertion',
]);

/** All nodes that run; types, imports and re-exports are left out. */
function* walk(place: Place): Generator<Place> {
  const { node, parents } = place;
  if (node.type.startsWith('Import') && node.type !== 'ImportExpression') return;
  if (node.type === 'ExportAllDeclaration') return;
  if (node.type.startsWith('TS') && !EXPRESSIONS_WITH_TYPES.has(node.type)) return;
  if (node['declare'] === true) return;
  yield place;
  for (const [key, value] of Object.entries(node)) {
    if (TYPE_KEYS.has(key)) continue;
    if (key === 'source' && node.type === 'ExportNamedDeclaration') continue;
    if (key === 'key' && node['computed'] !== true) continue;
    for (const child of Array.isArray(value) ? value : [value]) {
      if (!isNode(child)) continue;
      const within = nameWithin(child, node, place.within);
      yield* walk({ node: child, parents: [node, ...parents], key, within });
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/** The name of what a node defines, below the name of what is around it. */
function nameWithin(node: Node, parent: Node, within: string): string {
  const named =
    node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration'
      ? node['id']
      : node.type === 'MethodDefinition' || node.type === 'PropertyDefinition'
        ? node['key']
        : FUNCTIONS.has(node.type) && parent.type === 'VariableDeclarator'
          ? parent['id']
          : null;
  const text = isNode(named) ? named['name'] : undefined;
  if (typeof text !== 'string') return within;
  return within === '' ? text : `${within}.${text}`;
}

/** Expressions that may stand anywhere without parentheses. */
const PLAIN = new Set(['Identifier', 'MemberExpression', 'CallExpression', 'Literal']);

type Change = { start: number; end: number; text: string; kind: string };

const BOUNDARIES: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
};
const OTHER_OPERATORS: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '==': '!=',
  '!=': '==',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '**': '*',
  '<<': '>>',
  '>>': '<<',
  '>>>': '<<',
  '&': '|',
  '|': '&',
  '^': '&',
};
const OTHER_ASSIGNMENTS: Readonly<Record<string, string>> = {
  '+=': '-=',
  '-=': '+=',
  '*=': '/=',
  '/=': '*=',
  '|=': '&=',
  '&=': '|=',
  '^=': '|=',
  '??=': '=',
  '||=': '=',
  '&&=': '=',
};
const OTHER_METHODS: Readonly<Record<string, string>> = {
  min: 'max',
  max: 'min',
  floor: 'ceil',
  ceil: 'floor',
  round: 'floor',
  trunc: 'round',
  some: 'every',
  every: 'some',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  toLowerCase: 'toUpperCase',
  toUpperCase: 'toLowerCase',
  trimStart: 'trimEnd',
  trimEnd: 'trimStart',
  indexOf: 'lastIndexOf',
  lastIndexOf: 'indexOf',
  padStart: 'padEnd',
  padEnd: 'padStart',
  push: 'unshift',
  unshift: 'push',
  pop: 'shift',
  shift: 'pop',
  all: 'race',
  allSettled: 'all',
};
/** Methods whose result may be what they were called on: the call is left out. */
const PASSING_METHODS = new Set([
  ...['filter', 'sort', 'toSorted', 'reverse', 'toReversed', 'trim', 'slice', 'subarray'],
  ...['normalize', 'replaceAll', 'replace', 'toLowerCase', 'substring'],
]);

function* faultsAt(place: Place, source: string): Generator<Change> {
  const { node } = place;
  const child = (key: string): Node => node[key] as Node;
  const textOf = (one: Node): string => source.slice(one.start, one.end);
  const put = (one: Node, text: string, kind: string): Change => ({
    start: one.start,
    end: one.end,
    text,
    kind,
  });
  switch (node.type) {
    case 'BinaryExpression':
      yield* binaryFaults(place, source);
      break;
    case 'LogicalExpression':
      for (const key of ['left', 'right']) {
        const operand = textOf(child(key));
        const isPlain = PLAIN.has(child(key).type);
        yield put(node, isPlain ? operand : `(${operand})`, 'operand dropped');
      }
      break;
    case 'IfStatement':
    case 'ConditionalExpression':
      yield put(child('test'), 'true', 'condition');
      yield put(child('test'), 'false', 'condition');
      break;
    case 'WhileStatement':
    case 'DoWhileStatement':
    case 'ForStatement':
      if (isNode(node['test']) && child('test').type !== 'Literal') {
        yield put(child('test'), 'false', 'condition');
      }
      break;
    case 'ForOfStatement':
    case 'ForInStatement':
      yield put(child('body'), '{}', 'loop emptied');
      break;
    case 'UnaryExpression':
      if (node['operator'] === '!' && !isTest(place)) {
        yield put(node, textOf(child('argument')), 'negation');
      }
      if (node['operator'] === '-') yield put(node, textOf(child('argument')), 'sign');
      break;
    case 'UpdateExpression':
      if (place.parents[0]?.type !== 'ForStatement') {
        const argument = textOf(child('argument'));
        const other = node['operator'] === '++' ? '--' : '++';
        yield put(node, node['prefix'] === true ? other + argument : argument + other, 'update');
      }
      break;
    case 'AssignmentExpression': {
      const other = OTHER_ASSIGNMENTS[String(node['operator'])];
      if (other !== undefined) {
        const at = source.indexOf(String(node['operator']), child('left').end);
        const end = at + String(node['operator']).length;
        yield { start: at, end, text: other, kind: 'assignment' };
      }
      break;
    }
    case 'Literal':
      yield* literalFaults(place);
      break;
    case 'TemplateLiteral': {
      const words = (node['quasis'] as Node[]).map((part) => textOf(part)).join(' x ');
      const tagged = place.parents[0]?.type === 'TaggedTemplateExpression';
      if (!tagged && !isProse(place, words)) yield put(node, '``', 'string');
      break;
    }
    case 'ArrayExpression':
      yield* itemFaults(node['elements'] as Node[], 'element dropped');
      break;
    case 'ObjectExpression':
      if (isOptions(place)) yield* itemFaults(node['properties'] as Node[], 'property dropped');
      break;
    case 'CallExpression':
      yield* callFaults(place);
      break;
    case 'MemberExpression':
      if (node['optional'] === true) yield plainAccess(child('object'), source);
      break;
    case 'AwaitExpression':
      // A promise that nothing waits for is refused by the linter.
      if (place.parents[0]?.type !== 'ExpressionStatement') {
        yield put(node, textOf(child('argument')), 'await dropped');
      }
      break;
    case 'ExpressionStatement':
      if (isInList(place) && isEffect(child('expression')))
        yield put(node, ';', 'statement dropped');
      break;
    case 'ThrowStatement':
      if (isInList(place)) yield put(node, ';', 'statement dropped');
      break;
    case 'BlockStatement':
      if (isEmptiable(place)) yield put(node, '{}', 'block emptied');
      break;
  }
}

function* binaryFaults({ node, key, parents }: Place, source: string): Generator<Change> {
  const operator = String(node['operator']);
  const [left, right] = [node['left'] as Node, node['right'] as Node];
  const start = source.indexOf(operator, left.end);
  const put = (text: string, kind: string): Change => ({
    start,
    end: start + operator.length,
    text,
    kind,
  });
  const [boundary, opposite] = BOUNDARIES[operator] ?? [];
  const judged = key === 'test' && parents[0]?.type !== 'ForStatement';
  if (boundary !== undefined) yield put(boundary, 'boundary');
  if (opposite !== undefined && !judged) yield put(opposite, 'comparison');
  const other = OTHER_OPERATORS[operator];
  const isText = [left, right].some(
    (one) => one.type === 'TemplateLiteral' || typeof one['value'] === 'string',
  );
  if (other === undefined || (operator === '+' && isText)) return;
  if (!operator.endsWith('=')) yield put(other, 'arithmetic');
  else if (!judged) yield put(other, 'comparison');
}

function* literalFaults(place: Place): Generator<Change> {
  const { node, parents } = place;
  const { value, start, end } = node as Node & { readonly value: unknown };
  const put = (text: string, kind: string): Change => ({ start, end, text, kind });
  if (typeof value === 'boolean') yield put(String(!value), 'boolean');
  else if (typeof value === 'number') {
    // A limit of time that is a millisecond longer is no fault; one that never comes is.
    yield put(String(isTime(place) && value >= 100 ? value * 1000 : value + 1), 'number');
  } else if (typeof value === 'bigint') yield put(`${value + 1n}n`, 'number');
  else if (typeof value === 'string') {
    const isDirective = parents[0]?.type === 'ExpressionStatement';
    if (!isDirective && !isProse(place, value)) yield put(value === '' ? "'x'" : "''", 'string');
  }
  const regex = node['regex'] as { pattern: string; flags: string } | undefined;
  if (regex === undefined) return;
  for (const text of faultyRegexes(regex.pattern, regex.flags)) yield put(text, 'regex');
}

const TIME = /(?:^|_)(?:ms|seconds|minutes|hours)$|Ms$|Seconds$/i;

/** True for a number that is the value, or part of the value, of something named as a time. */
function isTime({ parents }: Place): boolean {
  return parents.slice(0, 3).some((node) => {
    const named = node.type === 'VariableDeclarator' ? node['id'] : node['key'];
    const text = isNode(named) ? named['name'] : undefined;
    return typeof text === 'string' && TIME.test(text);
  });
}

const PROSE_KEYS = new Set(['message', 'hint', 'title', 'description', 'detail', 'label']);

/** True for text that people read: a fault in it is no broken rule. */
function isProse({ parents, node }: Place, text: string): boolean {
  if (/\p{L}+[,:;]? \p{L}+[,:;]? \p{L}/u.test(text)) return true;
  const [parent] = parents;
  if (parent?.type === 'Property' && parent['value'] === node) {
    const { name: key } = parent['key'] as Node;
    return typeof key === 'string' && PROSE_KEYS.has(key);
  }
  const callee = parent?.type === 'NewExpression' ? (parent['callee'] as Node) : undefined;
  return typeof callee?.['name'] === 'string' && callee['name'].endsWith('Error');
}

function* itemFaults(items: readonly (Node | null)[], kind: string): Generator<Change> {
  for (const [i, item] of items.entries()) {
    if (item === null) continue;
    const [before, after] = [items[i - 1], items[i + 1]];
    if (after) yield { start: item.start, end: after.start, text: '', kind };
    else yield { start: before?.end ?? item.start, end: item.end, text: '', kind };
  }
}

/** Options of a call, headers in them, and tables at the top of a module. */
function isOptions({ parents, within }: Place): boolean {
  const [parent, around] = parents;
  if (parent?.type === 'CallExpression' || parent?.type === 'NewExpression') return true;
  if (parent?.type === 'Property' && around?.type === 'ObjectExpression') {
    return isOptions({ node: around, parents: parents.slice(2), key: '', within });
  }
  const holder = parents.find(({ type }) => !EXPRESSIONS_WITH_TYPES.has(type));
  return within === '' && holder?.type === 'VariableDeclarator';
}

function* callFaults({ node }: Place): Generator<Change> {
  const callee = node['callee'] as Node;
  if (callee.type !== 'MemberExpression' || callee['computed'] === true) return;
  const [object, property] = [callee['object'] as Node, callee['property'] as Node];
  const method = String(property['name']);
  const other = Object.hasOwn(OTHER_METHODS, method) ? OTHER_METHODS[method] : undefined;
  const { start, end } = property;
  if (other !== undefined) yield { start, end, text: other, kind: 'method' };
  if (PASSING_METHODS.has(method)) {
    yield { start: object.end, end: node.end, text: '', kind: 'call dropped' };
  }
}

function plainAccess(object: Node, source: string): Change {
  const start = source.indexOf('?.', object.end);
  const text = source[start + 2] === '[' ? '' : '.';
  return { start, end: start + 2, text, kind: 'optional access' };
}

/** True for a statement among others: where it is all that an `if` guards, the condition's faults stand for it. */
function isInList({ key, parents }: Place): boolean {
  return key === 'body' || parents[0]?.type === 'SwitchCase';
}

/** A call or an assignment to a place that outlives the statement. */
function isEffect(expression: Node): boolean {
  const inner = ['AwaitExpression', 'UnaryExpression', 'ChainExpression'].includes(expression.type)
    ? ((expression['argument'] ?? expression['expression']) as Node)
    : expression;
  if (inner.type === 'ChainExpression') return isEffect(inner);
  if (inner.type === 'AssignmentExpression') return true;
  return inner.type === 'CallExpression' && (inner['callee'] as Node).type !== 'Super';
}

/** A handler or clean-up that does something, or a function of several statements that returns nothing. */
function isEmptiable({ node, parents, key }: Place): boolean {
  const statements = node['body'] as Node[];
  const [parent] = parents;
  if (parent === undefined || statements.length === 0) return false;
  if (parent.type === 'CatchClause' || key === 'finalizer') return true;
  const returns = statements.some((one) => one.type === 'ReturnStatement');
  return FUNCTIONS.has(parent.type) && statements.length > 1 && !returns;
}

function isTest({ key }: Place): boolean {
  return key === 'test';
}
