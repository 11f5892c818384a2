import assert from 'node:assert/strict';
import { test } from 'node:test';
import { styleLoads } from './style-loads.ts';

function found(style: string): string[] {
  return styleLoads(style).map(({ kind, targets }) => `${kind} ${targets.join()}`);
}

test('imports, images and fonts of a style sheet are loads', () => {
  const rows: [style: string, ...expected: string[]][] = [
    ['@import "a.css";', 'style a.css'],
    ["@import url('a.css') screen;", 'style a.css'],
    ['@IMPORT URL( a.css );', 'style a.css'],
    [
      '@import "a.css" supports(background: url(b.png)); c { d: url(e.png) }',
      'style a.css',
      'resource b.png',
      'resource e.png',
    ],
    [
      'a { background: red url(a.png) no-repeat, url("b.png") }',
      'resource a.png',
      'resource b.png',
    ],
    [
      "a { background: url( 'a b.png' ) } c{mask:url(d.svg#e)}",
      'resource a b.png',
      'resource d.svg#e',
    ],
    [
      '@font-face { src: local("A"), url(a.woff2) format("woff2"), url(a.ttf) } b { c: url(d.png) }',
      'resource a.woff2,a.ttf',
      'resource d.png',
    ],
    ['@media screen { a { b: url(c.png) } }', 'resource c.png'],
    ['/* " */ a { b: url(c.png) }', 'resource c.png'],
    ['a::after { content: "/*" } b { c: url(d.png) }', 'resource d.png'],
  ];
  for (const [style, ...expected] of rows) assert.deepEqual(found(style), expected, style);
});

test('comments, strings, custom properties and invalid addresses are not loads', () => {
  for (const style of [
    '/* url(a.png) @import "a.css" */',
    '/* url(a.png)',
    'a { content: "url(a.png)" }',
    '@namespace url(a.png); @namespace svg "a.png";',
    'a { --image: url(a.png) }',
    'a { behavior: url(a.htc) }',
    'a { b: blurl(a.png) my-url(b.png) }',
    'a { b: url(a b.png) url("a.png" url(a.png"b) }',
    'a { b: url(a\\20 b.png) url("a\\"b.png") }',
    '@charset "a.css"; @layer "b.css";',
    'a { b: "c\n url(d.png)" }',
    '@import a.css;',
    '@font-face { font-family: A }',
  ]) {
    assert.deepEqual(found(style), [], style);
  }
});

test('the position of a load is that of its address, or of the rule of a font', () => {
  const loads = styleLoads('a { b: url(c.png) } @font-face { src: url(d.ttf) }', 100);
  assert.deepEqual(
    loads.map(({ at }) => at),
    [107, 131],
  );
});
