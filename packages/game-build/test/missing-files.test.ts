// Warnings about files that a build refers to and does not have.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Build } from '../src/index.ts';
import { build, PNG } from './describe-builds.ts';
import { ENGINE_BUILDS } from './engine-builds.ts';

type Files = Readonly<Record<string, string | Buffer>>;

/** The rule, the file and the path of each warning about a missing file. */
function missing({ warnings }: Build): string[] {
  return warnings
    .filter(({ code }) => code === 'reference_missing')
    .map(({ rule, entry, message }) => {
      const path = /(?:file|folder) ("[^"]*")\.$/.exec(message)?.[1];
      return `${rule} ${entry} ${path === undefined ? message : JSON.parse(path)}`;
    });
}

const missingIn = async (files: Files) => missing(await build(files));

test('complete builds of engines and bundlers have no warnings', async () => {
  for (const [engine, files] of Object.entries(ENGINE_BUILDS)) {
    assert.deepEqual((await build(files)).warnings, [], engine);
  }
});

test('each file that a page of an engine loads directly is reported when it is removed', async () => {
  const needed: Record<string, string> = {
    'Unity WebGL': 'TemplateData/style.css TemplateData/favicon.ico TemplateData/bar.png',
    'Godot HTML5': 'index.js index.png index.icon.png',
    'Phaser with Vite':
      'assets/index-kWUEFDCm.js assets/phaser-DkZ3xQ9p.js assets/extra-Bc6XgqA2.js assets/worker-a1b2c3d4.js assets/a.woff2',
    Construct: 'scripts/main.js scripts/c3main.js scripts/supportcheck.js appmanifest.json',
    GameMaker: 'html5game/Game.js',
    'three.js with an import map':
      'main.js node_modules/three/build/three.module.js node_modules/three/build/three.core.js node_modules/three/examples/jsm/controls/OrbitControls.js',
    'RPG Maker': 'icon/icon.png fonts/gamefont.css fonts/mplus.ttf js/main.js',
  };
  for (const [engine, paths] of Object.entries(needed)) {
    for (const path of paths.split(' ')) {
      const { [path]: removed, ...rest } = ENGINE_BUILDS[engine] ?? {};
      assert.ok(removed !== undefined, path);
      const reported = await missingIn(rest);
      // A font is reported by its first format.
      const shown = path === 'assets/a.woff2' ? 'assets/a.eot' : path;
      assert.equal(reported.length, 1, `${engine} without ${path}: ${reported.join('; ')}`);
      assert.ok(reported[0]?.endsWith(` ${shown}`), reported[0]);
    }
  }
});

test('the warning names the file, the line, the reference and the path, and says what to do', async () => {
  const { warnings } = await build({
    'index.html':
      '<!doctype html>\n<link rel="icon" href="none.ico">\n<script type="module" src="js/main.js"></script>\n<img src="art/hero.png?v=2#x">',
    'js/main.js': '// a\n\nimport "./util.js";',
    'images/hero.png': PNG,
  });
  assert.deepEqual(
    warnings.map(({ code, rule, entry, message, hint }) => [code, rule, entry, message, hint]),
    [
      [
        'reference_missing',
        'missing_script',
        'js/main.js',
        '"js/main.js" (line 3) refers to "./util.js", but the build has no file "js/util.js".',
        'The game probably does not start without it. Add "js/util.js" to the build, or remove the reference.',
      ],
      [
        'reference_missing',
        'missing_resource',
        'index.html',
        '"index.html" (line 4) refers to "art/hero.png", but the build has no file "art/hero.png".',
        'The build has "images/hero.png": correct the reference, or add "art/hero.png".',
      ],
      [
        'reference_missing',
        'missing_extra',
        'index.html',
        '"index.html" (line 2) refers to "none.ico", but the build has no file "none.ico".',
        'The game runs without it. Add "none.ico" to the build, or remove the reference.',
      ],
    ],
  );
});

test('the hint names a file that the reference probably means', async () => {
  const hintOf = async (page: string, files: Files): Promise<string> =>
    (await build({ 'index.html': page, ...files })).warnings[0]?.hint ?? '';
  const module = '<script type="module">import "./lib/a"</script>';
  assert.match(await hintOf(module, { 'lib/a.js': '' }), /The build has "lib\/a\.js": correct/);
  const packed = await hintOf('<script src="a.js"></script>', { 'a.js.gz': 'x' });
  assert.match(packed, /The build has "a\.js\.gz"/);
  const page = { 'sub/index.html': '<title>x</title>' };
  for (const written of ['sub', 'sub/', './sub/?x']) {
    const hint = await hintOf(`<iframe src="${written}"></iframe>`, page);
    assert.match(hint, /^Write the whole name of the page, with "index\.html"/, written);
  }
});

test('references are resolved as in a browser', async () => {
  const rows: [page: string, files: string, expected: string | null][] = [
    ['<img src="a.png">', 'a.png', null],
    ['<img src="./a/../b.png?x#y">', 'b.png', null],
    ['<img src="b%20c.png">', 'b c.png', null],
    ['<img src="a\\b.png">', 'a/b.png', null],
    ['<img src="../a.png">', 'a.png', null],
    ['<img src="%zz.png">', '', null],
    ['<img src="?x"><iframe src="./"></iframe><iframe src="#a"></iframe>', '', null],
    ['<img src="data:,x"><img src="blob:x"><img src="//h/a.png"><img src="https://h/a">', '', null],
    ['<img src="{{ hero }}.png"><img src="%PUBLIC_URL%/a.png"><img src="$GODOT_SPLASH">', '', null],
    ['<img src="a&nbsp;b.png">', '', null],
    [`<img src="${'a'.repeat(2001)}">`, '', null],
    ['<img src="b%20c.png">', '', 'b c.png'],
    ['<img src="a/b.png">', 'b.png', 'a/b.png'],
    ['<base href="a/"><img src="b.png">', 'a/b.png', null],
    ['<base href="a/"><img src="b.png">', 'b.png', 'a/b.png'],
    ['<base href="a/"><script type="module">import "./b.js"</script>', 'b.js', 'a/b.js'],
    ['<base href="/"><img src="b.png">', 'b.png', null],
    ['<base href="https://cdn.example/"><img src="b.png">', '', null],
    ['<base href="http://["><img src="b.png">', '', null],
    ['<style>a { b: url(c.png) }</style>', '', 'c.png'],
    ['<video><source src="a.webm"><source src="a.mp4"></video>', 'a.mp4', null],
    ['<video><source src="a.webm"><source src="//h/a.mp4"></video>', '', null],
    ['<video><source src="a.webm"><source src="a.mp4"></video>', '', 'a.webm'],
    ['<script type="module">import "/lib/a.js"</script>', '', 'lib/a.js'],
    ['<script type="module">import "lib/a.js"; import("three")</script>', '', null],
  ];
  for (const [page, file, expected] of rows) {
    const files = file === '' ? {} : { [file]: file.endsWith('.png') ? PNG : 'x' };
    const reported = (await missingIn({ 'index.html': page, ...files })).map((one) =>
      one.split(' ').slice(2).join(' '),
    );
    assert.deepEqual(reported, expected === null ? [] : [expected], page);
  }
});

test('a file in another case or with a leading slash has its own warning only', async () => {
  const { warnings } = await build({
    'index.html': '<img src="hero.png"><script src="/none.js"></script>',
    'Hero.png': PNG,
  });
  assert.deepEqual(
    warnings.map(({ code }) => code),
    ['reference_case', 'reference_absolute'],
  );
});

test('only the files that the game reaches from its page are examined', async () => {
  const broken = (path: string): Files => ({
    [path]: path.endsWith('.css')
      ? 'a { b: url(none.png) }'
      : path.endsWith('.html')
        ? '<img src="none.png">'
        : 'import "./none.png"',
  });
  const reached: [page: string, path: string, more?: Files][] = [
    ['<script src="a.js"></script>', 'a.js'],
    ['<link rel="stylesheet" href="a.css">', 'a.css'],
    ['<a href="a.html">more</a>', 'a.html'],
    ['<iframe src="a.html"></iframe>', 'a.html'],
    ['<script>location.href = "a.html"</script>', 'a.html'],
    ['<script>new Worker("./a.js")</script>', 'a.js'],
    ['<script src="b/c.js"></script>', 'b/a.js', { 'b/c.js': 'load("a.js")' }],
    ['<script src="b/c.js"></script>', 'a.js', { 'b/c.js': 'load("a.js")' }],
    ['<link rel="stylesheet" href="b.css">', 'a.css', { 'b.css': '@import "a.css";' }],
    ['<template><script src="a.js"></script></template>', 'a.js'],
  ];
  for (const [page, path, more = {}] of reached) {
    const files = { 'index.html': page, ...broken(path), ...more };
    assert.equal((await missingIn(files)).length, 1, page);
  }
  for (const path of ['a.js', 'a.css', 'a.html', 'sub/index.html']) {
    assert.deepEqual(await missingIn(broken(path)), [], path);
  }
});

test('only a script or style that the start page needs is said to prevent the start or to spoil the look', async () => {
  const hints = async (files: Files) =>
    (await build(files)).warnings.map(({ hint }) =>
      /probably (?:does not start|looks wrong)/.test(hint ?? ''),
    );
  const none = 'import "./none.js"';
  const script = '<script type="module" src="a.js"></script>';
  assert.deepEqual(await hints({ 'index.html': script, 'a.js': none }), [true]);
  const style = '<link rel="stylesheet" href="a.css">';
  assert.deepEqual(await hints({ 'index.html': style, 'a.css': '@import "b.css";' }), [true]);
  for (const later of ['import("./b.js")', 'load("b.js")']) {
    assert.deepEqual(await hints({ 'index.html': script, 'a.js': later, 'b.js': none }), [false]);
  }
  assert.deepEqual(await hints({ 'index.html': script, 'a.js': 'import("./b.js")' }), [false]);
  const chain = { 'a.js': 'import("./b.js")', 'b.js': 'import "./c.js"', 'c.js': none };
  assert.deepEqual(await hints({ 'index.html': script, ...chain }), [false]);
  // What is needed first is found first, also by a longer way.
  const both = { 'a.js': 'load("c.js"); import "./b.js"', 'b.js': 'import "./c.js"', 'c.js': none };
  assert.deepEqual(await hints({ 'index.html': script, ...both }), [true]);
});

test('a file that is missing twice is reported by its most important reference', async () => {
  const icon = '<link rel="icon" href="x.js">';
  const expected = ['missing_script index.html x.js'];
  assert.deepEqual(
    await missingIn({ 'index.html': `${icon}<script src="x.js"></script>` }),
    expected,
  );
  assert.deepEqual(
    await missingIn({ 'index.html': `<script src="x.js"></script>${icon}` }),
    expected,
  );
  const page = `${icon}<script type="module" src="a.js"></script>`;
  assert.deepEqual(await missingIn({ 'index.html': page, 'a.js': 'import "./x.js"' }), [
    'missing_script a.js x.js',
  ]);
  const images = '<img src="a.png"><link rel="icon" href="c.ico"><img src="b.png">';
  assert.deepEqual(await missingIn({ 'index.html': images }), [
    'missing_resource index.html a.png',
    'missing_resource index.html b.png',
    'missing_extra index.html c.ico',
  ]);
});

test('import maps resolve names and addresses of modules', async () => {
  const page = (imports: Record<string, string>, script: string): string =>
    `<script type="importmap">${JSON.stringify({ imports })}</script><script type="module">${script}</script>`;
  const rows: [imports: Record<string, string>, script: string, file: string, ...string[]][] = [
    [{ a: './lib/a.js' }, 'import "a"', 'lib/a.js'],
    [{ a: './lib/a.js' }, 'import "a"', '', 'missing_script index.html lib/a.js'],
    [{ a: './lib/a.js' }, '', '', 'missing_resource index.html lib/a.js'],
    [{ 'a/': './lib/' }, 'import "a/b.js"', 'lib/b.js'],
    [{ 'a/': './lib/' }, 'import "a/b.js"', 'lib/c.js', 'missing_script index.html lib/b.js'],
    [
      { 'a/': './lib/', 'a/b/': './c/' },
      'import "a/b/d.js"',
      'c/d.js',
      'missing_resource index.html lib/',
    ],
    [{ 'a/': 'https://cdn.example/' }, 'import "a/b.js"', ''],
    [{ a: 'lib/a.js' }, 'import "a"', ''],
    [{ b: './lib/b.js' }, 'import "a"', 'lib/b.js'],
    [{ './a.js': './a-1.js' }, 'import "./a.js"', 'a-1.js'],
    [{ './a/': './b/' }, 'import "./a/c.js"', 'b/c.js'],
  ];
  for (const [imports, script, file, ...expected] of rows) {
    const files = file === '' ? {} : { [file]: '' };
    const reported = await missingIn({ 'index.html': page(imports, script), ...files });
    assert.deepEqual(reported, expected, JSON.stringify([imports, script]));
  }
  // The module is examined, too.
  const deep = await missingIn({
    'index.html': page({ a: './lib/a.js' }, 'import "a"'),
    'lib/a.js': 'import "./none.js"; import "a"',
  });
  assert.deepEqual(deep, ['missing_script lib/a.js lib/none.js']);
});

test('an address of importScripts is also looked for in the folders of other workers', async () => {
  const page = '<script>new Worker("w.js")</script>';
  const worker = { 'index.html': page, 'w.js': 'importScripts("lib/a.js")' };
  assert.deepEqual(await missingIn(worker), ['missing_script w.js lib/a.js']);
  const found = { ...worker, 'lib/a.js': 'importScripts("lib/b.js")', 'lib/b.js': '' };
  assert.deepEqual(await missingIn(found), []);
});

test('a missing file is reported once, and at most twenty files and their rest are reported', async () => {
  const pages = Object.fromEntries(
    ['a.html', 'b.html', 'c.html'].map((name) => [name, '<link rel="stylesheet" href="x.css">']),
  );
  const links = '<a href="a.html"></a><a href="b.html"></a><a href="c.html"></a>';
  const three = await build({ 'index.html': links, ...pages });
  assert.deepEqual(
    three.warnings.map(({ message }) => message),
    ['"a.html" (line 1) and 2 other files refer to "x.css", but the build has no file "x.css".'],
  );
  const two = await build({ 'index.html': links, ...pages, 'c.html': '' });
  assert.match(two.warnings[0]?.message ?? '', /^"a\.html" \(line 1\) and 1 other file refer to /);
  const images = (count: number, from = 0): string =>
    Array.from({ length: count }, (_, i) => `<img src="${from + i}.png">`).join('');
  const frame = '<iframe src="f.html"></iframe><script src="z.js"></script>';
  const many = async (count: number) =>
    await build({
      'index.html': `${frame}${images(10)}`,
      'f.html': images(count, 10),
      'key.pem': 'x',
    });
  const twenty = await many(9);
  assert.equal(missing(twenty).length, 20);
  assert.equal(missing(twenty)[0], 'missing_script index.html z.js');
  const more = await many(11);
  assert.equal(missing(more).length, 21);
  const rest = more.warnings.find(({ rule }) => rule === 'missing_more');
  const files = '2 more files that the build does not have.';
  assert.equal(rest?.message, `The game refers to at least ${files}`);
  assert.match((await many(10)).warnings[20]?.message ?? '', /at least 1 more file that/);
  assert.ok(more.warnings.some(({ code }) => code === 'secret_published'));
});

test('a script that is precompressed is examined', async () => {
  const { gzipSync } = await import('node:zlib');
  const files = {
    'index.html': '<script src="a.js.gz" type="module"></script>',
    'a.js.gz': gzipSync('import "./none.js"'),
  };
  assert.deepEqual(await missingIn(files), ['missing_script a.js.gz none.js']);
});
