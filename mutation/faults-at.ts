// The faults that can be planted at a node of the syntax tree.
import { faultyRegexes } from './regex-faults.ts';
import { EXPRESSIONS_WITH_TYPES, FUNCTIONS, isNode, type Node, type Place } from './syntax.ts';

/** Expressions that never need parentheses. */
const PLAIN = new Set(['Identifier', 'MemberExpression', 'CallExpression', 'Literal']);

/** A replacement of the text from `start` to `end`. */
export type Change = { start: number; end: number; text: string; kind: string };

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
/** Methods whose result has the type of their object. The fault removes the call. */
const PASSING_METHODS = new Set([
  ...['filter', 'sort', 'toSorted', 'reverse', 'toReversed', 'trim', 'slice', 'subarray'],
  ...['normalize', 'replaceAll', 'replace', 'toLowerCase', 'substring'],
]);

type FindFaults = (place: Place, source: string) => Iterable<Change>;

/** The faults of each type of node. */
const FAULTS: Readonly<Record<string, FindFaults>> = {
  BinaryExpression: binaryFaults,
  LogicalExpression: operandFaults,
  IfStatement: conditionFaults,
  ConditionalExpression: conditionFaults,
  WhileStatement: loopConditionFaults,
  DoWhileStatement: loopConditionFaults,
  ForStatement: loopConditionFaults,
  ForOfStatement: ({ node }) => [put(childOf(node, 'body'), '{}', 'loop emptied')],
  ForInStatement: ({ node }) => [put(childOf(node, 'body'), '{}', 'loop emptied')],
  UnaryExpression: unaryFaults,
  UpdateExpression: updateFaults,
  AssignmentExpression: assignmentFaults,
  Literal: literalFaults,
  TemplateLiteral: templateFaults,
  ArrayExpression: ({ node }) => itemFaults(node['elements'] as Node[], 'element dropped'),
  ObjectExpression: (place) =>
    isOptions(place) ? itemFaults(place.node['properties'] as Node[], 'property dropped') : [],
  CallExpression: callFaults,
  MemberExpression: ({ node }, source) =>
    node['optional'] === true ? [plainAccess(childOf(node, 'object'), source)] : [],
  AwaitExpression: awaitFaults,
  ExpressionStatement: (place) =>
    isInList(place) && isEffect(childOf(place.node, 'expression'))
      ? [put(place.node, ';', 'statement dropped')]
      : [],
  ThrowStatement: (place) => (isInList(place) ? [put(place.node, ';', 'statement dropped')] : []),
  BlockStatement: (place) => (isEmptiable(place) ? [put(place.node, '{}', 'block emptied')] : []),
};

/** The faults that can be planted at a node itself. */
export function faultsAt(place: Place, source: string): Iterable<Change> {
  return FAULTS[place.node.type]?.(place, source) ?? [];
}

function childOf(node: Node, key: string): Node {
  return node[key] as Node;
}

function put({ start, end }: Node, text: string, kind: string): Change {
  return { start, end, text, kind };
}

function textOf({ start, end }: Node, source: string): string {
  return source.slice(start, end);
}

function* operandFaults({ node }: Place, source: string): Generator<Change> {
  for (const key of ['left', 'right']) {
    const operand = childOf(node, key);
    const text = textOf(operand, source);
    yield put(node, PLAIN.has(operand.type) ? text : `(${text})`, 'operand dropped');
  }
}

function* conditionFaults({ node }: Place): Generator<Change> {
  yield put(childOf(node, 'test'), 'true', 'condition');
  yield put(childOf(node, 'test'), 'false', 'condition');
}

/** The condition becomes false. Endless loops are not planted. */
function* loopConditionFaults({ node }: Place): Generator<Change> {
  const { test } = node;
  if (isNode(test) && test.type !== 'Literal') yield put(test, 'false', 'condition');
}

function* unaryFaults(place: Place, source: string): Generator<Change> {
  const { node } = place;
  const argument = textOf(childOf(node, 'argument'), source);
  if (node['operator'] === '!' && !isTest(place)) yield put(node, argument, 'negation');
  if (node['operator'] === '-') yield put(node, argument, 'sign');
}

function* updateFaults({ node, parents }: Place, source: string): Generator<Change> {
  if (parents[0]?.type === 'ForStatement') return;
  const argument = textOf(childOf(node, 'argument'), source);
  const other = node['operator'] === '++' ? '--' : '++';
  yield put(node, node['prefix'] === true ? other + argument : argument + other, 'update');
}

function* assignmentFaults({ node }: Place, source: string): Generator<Change> {
  const operator = String(node['operator']);
  const other = OTHER_ASSIGNMENTS[operator];
  if (other === undefined) return;
  const start = source.indexOf(operator, childOf(node, 'left').end);
  yield { start, end: start + operator.length, text: other, kind: 'assignment' };
}

function* templateFaults(place: Place, source: string): Generator<Change> {
  const { node, parents } = place;
  const text = (node['quasis'] as Node[]).map((part) => textOf(part, source)).join(' x ');
  const isTagged = parents[0]?.type === 'TaggedTemplateExpression';
  if (!isTagged && !isProse(place, text)) yield put(node, '``', 'string');
}

function* awaitFaults({ node, parents }: Place, source: string): Generator<Change> {
  // The linter rejects a promise that is not awaited.
  if (parents[0]?.type === 'ExpressionStatement') return;
  yield put(node, textOf(childOf(node, 'argument'), source), 'await dropped');
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
    // A timeout that is one millisecond longer is not a fault, but one that never fires is.
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

/** Whether a number is part of the value of a variable or property that is named as a time. */
function isTime({ parents }: Place): boolean {
  return parents.slice(0, 3).some((node) => {
    const named = node.type === 'VariableDeclarator' ? node['id'] : node['key'];
    const text = isNode(named) ? named['name'] : undefined;
    return typeof text === 'string' && TIME.test(text);
  });
}

const PROSE_KEYS = new Set(['message', 'hint', 'title', 'description', 'detail', 'label']);

/** Whether a text is for readers. A fault in it breaks no rule. */
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

/** Whether an object is an argument of a call, is nested in one, or is a table at the top of a module. */
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

/** Whether a statement is in a list of statements. For the only statement of an `if`, the faults of the condition suffice. */
function isInList({ key, parents }: Place): boolean {
  return key === 'body' || parents[0]?.type === 'SwitchCase';
}

/** Whether an expression is a call or an assignment. */
function isEffect(expression: Node): boolean {
  const inner = ['AwaitExpression', 'UnaryExpression', 'ChainExpression'].includes(expression.type)
    ? ((expression['argument'] ?? expression['expression']) as Node)
    : expression;
  if (inner.type === 'ChainExpression') return isEffect(inner);
  if (inner.type === 'AssignmentExpression') return true;
  return inner.type === 'CallExpression' && (inner['callee'] as Node).type !== 'Super';
}

/** Whether a block is a non-empty handler or clean-up, or a function of several statements without a result. */
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
