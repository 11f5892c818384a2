// The syntax tree of a source, without types: its nodes with their parents and the name of the function around them.

export type Node = { readonly type: string; readonly start: number; readonly end: number } & {
  readonly [key: string]: unknown;
};

/** A node and its position in the tree. */
export type Place = {
  readonly node: Node;
  readonly parents: readonly Node[];
  /** The key of the parent that contains the node. */
  readonly key: string;
  readonly within: string;
};

const TYPE_KEYS = new Set([
  ...['typeAnnotation', 'typeParameters', 'typeArguments', 'returnType', 'implements'],
  ...['superTypeArguments', 'decorators'],
]);

export const EXPRESSIONS_WITH_TYPES = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSInstantiationExpression',
  'TSTypeAssertion',
]);

/** The place and all places below it that are executed. Types, imports and re-exports are skipped. */
export function* walk(place: Place): Generator<Place> {
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

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

export const FUNCTIONS = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
]);

/** The name of the function or class that a node defines, with the names around it: `Outer.inner`. */
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
