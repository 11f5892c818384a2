import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findBreaches, importedModules, TABLE } from './check-structure.ts';

test('importedModules sees static, dynamic, bare and re-exporting imports', () => {
  const text = `import a from 'a';\nexport { b } from "b";\nimport 'c';\nconst d = await import('d');`;
  assert.deepEqual(importedModules(text), ['a', 'b', 'c', 'd']);
});

test('findBreaches names a forbidden import, a Node module in the browser and a connection', () => {
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

test('findBreaches lets through what the table allows', () => {
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
