import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findBreaches, TABLE } from './check-structure.ts';
import { findBackEdges } from './folder-order.ts';
import { findImportCycles } from './import-cycles.ts';
import { importedModules } from './structure-source.ts';

test('importedModules returns static, dynamic, bare and re-exporting imports', () => {
  const text = `import a from 'a';\nexport { b } from "b";\nimport 'c';\nconst d = await import('d');`;
  assert.deepEqual(importedModules(text), ['a', 'b', 'c', 'd']);
});

test('findBreaches reports a forbidden import, a Node module in the browser and a connection', () => {
  const breaches = findBreaches(
    [
      { path: 'packages/collector/src/a.ts', text: `import { x } from '@svc/agent';` },
      { path: 'packages/trace/src/b.ts', text: `import { readFileSync } from 'node:fs';` },
      { path: 'packages/collector/src/c.ts', text: `navigator.sendBeacon('/x');` },
      { path: 'packages/agent/src/d.ts', text: `await fetch('https://example.com');` },
      { path: 'packages/agent/src/e.ts', text: `import { rule } from '@svc/contracts/platform';` },
    ],
    TABLE,
  );
  assert.equal(breaches.length, 5);
});

test('findBreaches finds modules for connections in each kind of import, and in no other text', () => {
  const texts = [
    ...[`import 'node:net';`, `await import("http");`, `require('tls')`],
    ...[`process.getBuiltinModule('dgram')`, `export { get } from 'node:https';`],
    ...[`const scheme = { type: 'http' };`],
  ];
  const found = texts.map(
    (text) => findBreaches([{ path: 'packages/contracts/src/a.ts', text }], TABLE).length > 0,
  );
  assert.deepEqual(found, [true, true, true, true, true, false]);
});

test('findBreaches accepts what the table allows', () => {
  const breaches = findBreaches(
    [
      { path: 'packages/agent/src/a.ts', text: `import { x } from '@svc/trace';\n// fetch(here)` },
      { path: 'packages/collector/src/b.test.ts', text: `import { y } from 'node:http';` },
      { path: 'packages/viewer/src/c.ts', text: `await fetch('/api/status');` },
    ],
    TABLE,
  );
  assert.deepEqual(breaches, []);
});

const ORDER = { viewer: ['draw', ['views/frames', 'views/stacks'], 'views/frames/top.ts', '.'] };

/** The back edges of a file with these lines. */
function edgesOf(path: string, ...lines: string[]): string[] {
  return findBackEdges([{ path: `packages/viewer/src/${path}`, text: lines.join('\n') }], ORDER);
}

test('findBackEdges accepts imports of the same folder, of lower folders and of other packages', () => {
  assert.deepEqual(
    edgesOf(
      'views/frames/a.ts',
      `import { b } from './b.ts';`,
      `import { pen } from '../../draw/pen.ts';`,
      `import { x } from '@svc/trace';`,
      `import { y } from '../../../test/y.ts';`,
    ),
    [],
  );
  assert.deepEqual(edgesOf('main.ts', `import { t } from './views/frames/top.ts';`), []);
  assert.deepEqual(
    findBackEdges([{ path: 'packages/trace/src/a.ts', text: `import './b/c.ts'` }], ORDER),
    [],
    'a package without an order',
  );
});

test('findBackEdges reports an import that goes up, one that goes aside, and a file without an entry', () => {
  const up = edgesOf('draw/pen.ts', `import type { A } from '../views/frames/a.ts';`);
  assert.deepEqual(up, [
    'packages/viewer/src/draw/pen.ts: imports ../views/frames/a.ts, but views/frames is above draw',
  ]);
  const aside = edgesOf('views/stacks/s.ts', `export { a } from '../frames/a.ts';`);
  assert.match(aside[0] ?? '', /views\/frames is beside views\/stacks$/);
  const longest = edgesOf('views/frames/a.ts', `import { t } from './top.ts';`);
  assert.match(longest[0] ?? '', /views\/frames\/top\.ts is above views\/frames$/);
  assert.match(edgesOf('shell/app.ts')[0] ?? '', /no entry/);
});

test('findImportCycles names each circle of files once, types included, and no other import', () => {
  const file = (path: string, ...modules: string[]) => ({
    path,
    text: modules.map((module) => `import type { X } from '${module}';`).join('\n'),
  });
  const line = [file('a/a.ts', './b.ts', '../c.ts'), file('a/b.ts', '../c.ts'), file('c.ts', 'ws')];
  assert.deepEqual(findImportCycles(line), []);
  const circle = [...line.slice(0, 2), file('c.ts', './a/a.ts'), file('d.ts', './d.ts')];
  assert.deepEqual(findImportCycles(circle), [
    'a/a.ts: imports itself by way of a/b.ts, c.ts, a/a.ts',
    'd.ts: imports itself by way of d.ts',
  ]);
});
