// The faults that are planted in each kind of code.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyMutant, findMutants } from './find-mutants.ts';
import { faultyRegexes } from './regex-faults.ts';

/** All faulty forms of a source. */
function faultyForms(source: string): string[] {
  return findMutants('source.ts', source).map((mutant) => applyMutant(source, mutant));
}

const FORMS: Readonly<Record<string, readonly [source: string, faulty: readonly string[]]>> = {
  'a boundary and its opposite': ['f = a < b;', ['f = a <= b;', 'f = a >= b;']],
  'an equality': ['f = a === b;', ['f = a !== b;']],
  'a condition both ways': ['if (a) b;', ['if (true) b;', 'if (false) b;']],
  'each operand': ['f = a && b;', ['f = a;', 'f = b;']],
  'the default of a missing value': ['f = a ?? b;', ['f = a;', 'f = b;']],
  arithmetic: ['f = a * b;', ['f = a / b;']],
  'numbers and booleans': ['f = g(4, true);', ['f = g(5, true);', 'f = g(4, false);']],
  'a timeout, which becomes one that never fires': [
    'const WAIT_MS = 500;',
    ['const WAIT_MS = 500000;'],
  ],
  'a short text that is not prose': ["f = 'ab';", ["f = '';"]],
  'a negation': ['f = !a;', ['f = a;']],
  'each element of a list': ['f = [a, b];', ['f = [b];', 'f = [a];']],
  'each option of a call': ['f = g({ a, b: c });', ['f = g({ b: c });', 'f = g({ a });']],
  'a method': ['f = Math.min(a);', ['f = Math.max(a);']],
  'a call whose result has the type of its object': ['f = a.trim();', ['f = a;']],
  'an optional access': ['f = a?.b;', ['f = a.b;']],
  'an await whose value is used': ['f = await a;', ['f = a;']],
  'no await as a statement, which the linter requires': ['await a();', []],
};

for (const [what, [source, faulty]] of Object.entries(FORMS)) {
  test(`faults are planted in ${what}`, () => {
    // The fault that removes the whole assignment is ignored here.
    const forms = faultyForms(source).filter((form) => form !== ';');
    assert.deepEqual(forms.sort(), [...faulty].sort());
  });
}

test('a statement with an effect is removed, and a handler with an effect is emptied', () => {
  const forms = faultyForms('function f() { try { g(); } catch { h(); } }');
  assert.ok(forms.includes('function f() { try { ; } catch { h(); } }'), forms.join('\n'));
  assert.ok(forms.includes('function f() { try { g(); } catch {} }'), forms.join('\n'));
});

test('types, imports, property names and prose are not changed', () => {
  const source = `import { a } from 'a';
export * from 'b';
type T = { readonly b: 1 | 'c' } & (true extends T ? 1 : 2);
const t: Record<'d', 1> = u as 'e';
throw new RangeError('a number');
note('this is a sentence');
`;
  const changed = findMutants('source.ts', source).map(({ id }) => id.from);
  assert.deepEqual(changed, ["throw new RangeError('a number');", "note('this is a sentence');"]);
});

test('the id of a mutant contains its function and line, and stays the same when lines move', () => {
  const source = 'class A {\n  b(): number {\n    return c(1, 1);\n  }\n}\n';
  const [first, second] = findMutants('source.ts', source);
  const [moved] = findMutants('source.ts', `// A line more.\n\n${source}`);
  assert.deepEqual(first?.id, {
    file: 'source.ts',
    within: 'A.b',
    line: 'return c(1, 1);',
    from: '1',
    to: '2',
    nth: 0,
  });
  assert.deepEqual([first?.line, moved?.line], [3, 5]);
  assert.deepEqual(moved?.id, first?.id);
  assert.equal(second?.id.nth, 1);
});

const REGEXES: readonly (readonly [pattern: string, flags: string, faulty: readonly string[]])[] = [
  ['^a', '', ['/a/']],
  ['a$', '', ['/a/']],
  ['\\ba\\$', '', ['/a\\$/']],
  ['a|b|c', '', ['/b|c/', '/a|c/', '/a|b/']],
  ['x(?:a|b)y', '', ['/x(?:b)y/', '/x(?:a)y/']],
  ['a+', '', ['/a/']],
  ['a*b?', '', ['/a+b?/', '/a*b/']],
  ['a{2,4}', '', ['/a{3,4}/', '/a{2,5}/']],
  ['[^|$]', '', ['/[|$]/']],
  ['a', 'i', ['/a/']],
];

for (const [pattern, flags, faulty] of REGEXES) {
  test(`faults are planted in the regular expression /${pattern}/${flags}`, () => {
    assert.deepEqual(faultyRegexes(pattern, flags).sort(), [...faulty].sort());
  });
}
