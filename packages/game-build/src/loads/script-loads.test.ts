import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scriptLoads } from './script-loads.ts';

/** The kind and address of each load that is not only a link. `@{` stands for the beginning of a substitution. */
function found(script: string): string[] {
  return scriptLoads(script.replaceAll('@{', '${')).flatMap(({ kind, targets }) =>
    kind === 'link' ? [] : [`${kind} ${targets.join()}`],
  );
}

test('imports, exports from modules, and workers beside a module are loads', () => {
  const rows: [script: string, ...expected: string[]][] = [
    ['import "./a.js"', 'script ./a.js'],
    ["import'./a.js'", 'script ./a.js'],
    ['import a from "./a.js"', 'script ./a.js'],
    ['import a, { b as c, "d-e" as f } from "./a.js";', 'script ./a.js'],
    ['import * as a from "./a.js"', 'script ./a.js'],
    ['import{a}from"./a.js";import{b}from"./b.js"', 'script ./a.js', 'script ./b.js'],
    ['import from from "./a.js"', 'script ./a.js'],
    ['import {\n  a, // "x"\n  b,\n} /* from "y" */ from\n "./a.js"', 'script ./a.js'],
    ['import data from "./a.json" with { type: "json" }', 'script ./a.json'],
    ['export { a } from "./a.js"; export * from "./b.js"', 'script ./a.js', 'script ./b.js'],
    ['export * as a from "./a.js"', 'script ./a.js'],
    ['export { a }\nimport b from "./b.js"', 'script ./b.js'],
    ['const a = await import("./a.js")', 'resource ./a.js'],
    ['import(`./a.js`).then(go)', 'resource ./a.js'],
    ['import(/* webpackIgnore: true */ "./a.js", { with: {} })', 'resource ./a.js'],
    ['a ? import("./a.js") : import("./b.js")', 'resource ./a.js', 'resource ./b.js'],
    ['new Worker(new URL("./w.js", import.meta.url))', 'resource ./w.js'],
    ['new SharedWorker(new URL("./w.js", import.meta.url), {})', 'resource ./w.js'],
    ['new Worker(""+new URL("./w.js",import.meta.url).href)', 'resource ./w.js'],
    ['importScripts("a.js", \'b.js\')', 'script a.js', 'script b.js'],
    ['self.importScripts(`a.js`)', 'script a.js'],
    ['`@{a}`; import("./a.js")', 'resource ./a.js'],
    ['`@{{ a: `@{"}"}` }}`; import("./a.js")', 'resource ./a.js'],
    ['() => { `@{a}` }; import("./a.js")', 'resource ./a.js'],
    ['if (a) /["\'`]/.test(b); import("./a.js")', 'resource ./a.js'],
    ['x = a / b; y = c / "d"; import("./a.js")', 'resource ./a.js'],
    ['return /[/"]\\/`/g; import("./a.js")', 'resource ./a.js'],
    ['a++ / 2; "/"; import("./a.js")', 'resource ./a.js'],
    ['x = { typeof: 1 }.typeof / 2; "/"; import("./a.js")', 'resource ./a.js'],
    ['f(a) / 2; y = "/"; import("./a.js")', 'resource ./a.js'],
    ['a[0] / 2; y = "/"; import("./a.js")', 'resource ./a.js'],
    ['function f() {} /["]/.test(a); import("./a.js")', 'resource ./a.js'],
    ['({}) / 2; import("./a.js")', 'resource ./a.js'],
    ['#!/usr/bin/env "node\nimport "./a.js"', 'script ./a.js'],
    ['<!-- it\'s old\nimport("./a.js")', 'resource ./a.js'],
    ['const ünïcode = 1, $ = 2; import("./a.js")', 'resource ./a.js'],
    ['"\\"\\\\"; import("./a.js")', 'resource ./a.js'],
  ];
  for (const [script, ...expected] of rows) assert.deepEqual(found(script), expected, script);
});

test('comments, strings, regular expressions, properties and computed addresses are not loads', () => {
  for (const script of [
    '// import "./a.js"',
    '/* import "./a.js" */',
    '\'import "./a.js"\'',
    '`import "./a.js"`',
    '`@{1} import("./a.js") @{2} import("./b.js")`',
    '/import ".a.js"/',
    'x = "a\\" import(\'./a.js\') "',
    'object.import("./a.js")',
    'object?.import("./a.js")',
    '({ import: "./a.js", export: "./b.js" })',
    'class A { #import = 1; from = "./a.js" }',
    'const { from } = "./a.js"',
    'export const a = "./a.js"; export default "./b.js"',
    'export { a }; "./a.js"',
    'export { a as from }; x = "./a.js"',
    'import.meta.glob("./a.js")',
    'import("./" + name)',
    'import(`./@{name}.js`)',
    'import(name)',
    'new Worker("w.js")',
    'new Worker(new URL(name, import.meta.url))',
    'new Worker(new URL("w.js", location.href))',
    'Worker(new URL("w.js", import.meta.url))',
    'new URL("a.wasm", import.meta.url)',
    'importScripts(name)',
    'importScripts("a.js", name)',
    'importScripts("a.js" + name)',
    'function importScripts("a.js")',
    'typeof importScripts; ("a.js")',
    'import("\\u002e/a.js")',
    'load("./a.js"); x.src = "b.js"; fetch("c.json")',
  ]) {
    assert.deepEqual(found(script), [], script);
  }
});

test('nothing is read after a string, template or regular expression that does not end', () => {
  for (const broken of ['"a\n', "'a", '`a', '`@{a} b', '} / a\n'.repeat(9)]) {
    const script = `import("./a.js"); ${broken} ; import("./b.js")`;
    assert.deepEqual(found(script), ['resource ./a.js'], broken);
  }
  const divisions = `${'} / 2\n'.repeat(8)} import("./a.js")`;
  assert.deepEqual(found(divisions), ['resource ./a.js']);
});

test('a string that ends like the name of a page, script or style is a link', () => {
  const links = scriptLoads(
    'a("game/b.js", `c.html`, "d.css", "e.png", "f g.js", "js", "<h>.js")',
    5,
  );
  assert.deepEqual(links, [
    { kind: 'link', targets: ['game/b.js'], at: 7, by: 'string' },
    { kind: 'link', targets: ['c.html'], at: 20, by: 'string' },
    { kind: 'link', targets: ['d.css'], at: 30, by: 'string' },
  ]);
});
