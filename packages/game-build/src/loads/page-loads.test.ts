import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageLoads } from './page-loads.ts';

/** The kind and addresses of each load that is not only a link. */
function found(page: string): string[] {
  return pageLoads(page).loads.flatMap(({ kind, targets }) =>
    kind === 'link' ? [] : [`${kind} ${targets.join(' ')}`],
  );
}

test('each tag that loads a file is found, with its importance', () => {
  const rows: [page: string, ...expected: string[]][] = [
    ['<script src="a.js"></script>', 'script a.js'],
    ['<SCRIPT SRC=a.js TYPE=Module></SCRIPT>', 'script a.js'],
    ["<script type='text/javascript' src = 'a.js'>", 'script a.js'],
    ['<script async src="a.js?v=1"></script>', 'script a.js?v=1'],
    ['<script>import("./a.js")</script>', 'resource ./a.js'],
    ['<script type="module">import "./a.js"</script>', 'script ./a.js'],
    ['<link rel="stylesheet" href="a.css">', 'style a.css'],
    ['<link href=a.css rel="preload stylesheet">', 'style a.css'],
    ['<link rel="alternate stylesheet" href="a.css">', 'extra a.css'],
    ['<link rel="stylesheet" disabled href="a.css">', 'extra a.css'],
    ['<link rel="shortcut icon" href="a.ico">', 'extra a.ico'],
    ['<link rel="apple-touch-icon" href="a.png">', 'extra a.png'],
    ['<link rel="manifest" href="a.json">', 'extra a.json'],
    ['<link rel="modulepreload" href="a.js">', 'extra a.js'],
    [
      '<img src="a.png" srcset="b.png 1x,c.png 2x, d.png 3x">',
      'resource a.png',
      'resource b.png',
      'resource c.png',
      'resource d.png',
    ],
    ['<img src=" a b.png ">', 'resource a b.png'],
    [
      '<img src="a&amp;b.png"><img src="&#x61;.png"><img src="&#98;.png">',
      'resource a&b.png',
      'resource a.png',
      'resource b.png',
    ],
    [
      '<picture><source srcset="a.avif"><img src="a.png"></picture>',
      'resource a.avif',
      'resource a.png',
    ],
    [
      '<video src="a.mp4" poster="a.png"><track src="a.vtt"></video>',
      'resource a.mp4',
      'extra a.png',
      'extra a.vtt',
    ],
    [
      '<audio><source src="a.ogg"><source src="a.mp3"></audio><img src="b.png">',
      'resource a.ogg a.mp3',
      'resource b.png',
    ],
    ['<iframe src="a.html"></iframe>', 'resource a.html'],
    ['<embed src="a.svg"><object data="b.svg"></object>', 'resource a.svg', 'extra b.svg'],
    ['<input type="image" src="a.png">', 'resource a.png'],
    [
      '<svg><image href="a.png"/><use xlink:href="b.svg#c"/></svg>',
      'resource a.png',
      'resource b.svg#c',
    ],
    ['<div style="background:url(&quot;a.png&quot;)">', 'resource a.png'],
    ['<style>a { b: url(c.png) }</style>', 'resource c.png'],
    ['<meta http-equiv="refresh" content="0; url=a.html">', 'resource a.html'],
    ['<title><img src="a.png"></title><img src="b.png">', 'resource b.png'],
    ['a < b <img src="a.png">', 'resource a.png'],
    ['<img alt=">" src="a.png">', 'resource a.png'],
    ['<img src="a.png" src="b.png">', 'resource a.png'],
    ['<!----><img src="a.png"><!--><img src="b.png">', 'resource a.png', 'resource b.png'],
    ['</br a="<img src=c.png>"><img src="a.png">', 'resource a.png'],
    ['<template><b></template><img src="a.png">', 'resource a.png'],
  ];
  for (const [page, ...expected] of rows) assert.deepEqual(found(page), expected, page);
});

test('what a browser with scripts does not load, or a page handles itself, is not a load', () => {
  for (const page of [
    '<!-- <script src="a.js"></script> -->',
    '<!--[if lt IE 9]><script src="html5shiv.js"></script><![endif]-->',
    '<!-- <img src="a.png">',
    '<!DOCTYPE html "<img src=a.png"><?php <img src="a.png" ?',
    '<noscript><img src="a.png"></noscript>',
    '<template><img src="a.png"><script src="a.js"></script></template>',
    '<template><template></template><img src="a.png"></template>',
    '<textarea><img src="a.png"></textarea>',
    '<script>document.write("<img src=a.png>")</script>',
    '<script>x = "<script src=a.js><\\/script>"</script>',
    '<script nomodule src="a.js"></script>',
    '<script type="text/x-template" src="a.js">import "./b.js"</script>',
    '<script type="x-shader/x-vertex" src="a.vert"></script>',
    '<script src="a.js" onerror="useOther()"></script>',
    '<script src="cordova.js"></script>',
    '<link rel="canonical" href="a.html"><link href="a.css">',
    '<img data-src="a.png" :src="b" [src]="c" alt="src=d.png">',
    '<img src=""><img><script src=" "></script>',
    '<iframe src="a.html" srcdoc="<p>"></iframe>',
    '<input src="a.png"><a href="a.html">x</a><form action="a.html">',
    '<meta name="refresh" content="0; url=a.html"><meta http-equiv="refresh" content="5">',
    '<img src="a.png"',
    '<img src="a.png>',
    '<plaintext><img src="a.png">',
    '<p>img src="a.png"</p>',
  ]) {
    assert.deepEqual(found(page), [], page);
  }
});

test('the first base with an address and all import maps of a page are read', () => {
  const map = '{"imports":{"a":"./a.js","b":1},"scopes":{"x/":{"c":"./c.js"}}}';
  const { base, importMaps } = pageLoads(
    `<base target="_top"><base href="a&amp;b/"><base href="c/"><script type="importmap">${map}</script><script type="importmap">{</script>`,
  );
  assert.equal(base, 'a&b/');
  assert.deepEqual(
    importMaps.map(({ entries }) => entries),
    [
      [
        ['a', './a.js'],
        ['c', './c.js'],
      ],
      [],
    ],
  );
});
