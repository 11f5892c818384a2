// References of a build to files that are missing or have another name.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { build, hostsOf, PNG, warned } from './describe-builds.ts';

test('a reference that differs by case causes a warning', async () => {
  const wrong = await build({
    'Assets/Hero.png': PNG,
    'css/style.css': 'a { background: url("../assets/hero.png?v=1") }',
    'js/main.js': 'this.load.image("hero", "assets/hero.png"); load(`Assets/Hero.png`)',
    'menu/page.html': '<img src="../Assets/hero.png"><img src="../Assets/Hero.png">',
    'right.css': 'a { background: url(Assets/Hero.png) }',
  });
  assert.deepEqual(warned(wrong), [
    ['reference_case', 'css/style.css'],
    ['reference_case', 'js/main.js'],
    ['reference_case', 'menu/page.html'],
  ]);
  assert.match(wrong.warnings[0]?.message ?? '', /"\.\.\/assets\/hero\.png".*"Assets\/Hero\.png"/);
  const based = await build({
    'a/Hero.png': PNG,
    'b.html': '<base href="a/"><img src="Hero.png">',
  });
  assert.deepEqual(warned(based), []);
  const twice = await build({
    'a/Hero.png': PNG,
    'b.html': '<base href="a/"><base target="_top"><img src="Hero.png"><img src="a/hero.png">',
  });
  assert.deepEqual(warned(twice), [], 'a later base without an address changes nothing');
  const targeted = await build({
    'Hero.png': PNG,
    'b.html': '<base target="_top"><img src="hero.png">',
  });
  assert.deepEqual(warned(targeted), [['reference_case', 'b.html']]);
  const queried = await build({ 'Hero.png': PNG, 'b.html': '<img src="hero.png?a\nb#c">' });
  assert.deepEqual(warned(queried), [['reference_case', 'b.html']]);
});

test('a reference that differs by the Unicode form of its accents causes a warning of its own', async () => {
  const composed = 'h\u00e9ro.png';
  const apart = 'he\u0301ro.png';
  const cases: [string, string, RegExp][] = [
    [composed, apart, /^The reference is in the form NFC .*the file's name in NFD/],
    [apart, composed, /^The reference is in the form NFD .*the file's name in NFC/],
    ['H\u00e9ro.png', apart, /upper and lower case letters/],
  ];
  for (const [written, stored, expected] of cases) {
    const wrong = await build({
      [`art/${stored}`]: PNG,
      'a.css': `a { background: url("art/${written}") }`,
      'b.js': `load("art/${written}")`,
    });
    assert.deepEqual(warned(wrong), [
      ['reference_case', 'a.css'],
      ['reference_case', 'b.js'],
    ]);
    for (const { hint } of wrong.warnings) assert.match(hint ?? '', expected);
  }
});

test('references are resolved as in a browser', async () => {
  const rows: [file: string, from: string, text: string, warned: boolean][] = [
    ['a/Hero 1.png', 'p.html', '<img src="a/hero%201.png">', true],
    ['a/Hero 1.png', 'p.html', '<img src="a/Hero%201.png">', false],
    ['a/Hero 1.png', 'p.html', '<img src=" a/hero 1.png ">', true],
    ['Icons.svg', 's.css', 'a { mask: url(icons.svg#one) }', true],
    ['Icons.svg', 's.css', 'a { mask: url(Icons.svg?x#one) }', false],
    // Names that have another meaning in an address.
    ['a#1/Hero.png', 'a#1/s.css', 'a { background: url(hero.png) }', true],
    ['a?/Hero.png', 'a?/s.css', 'a { background: url(hero.png) }', true],
    ['a%/Hero.png', 'a%/s.css', 'a { background: url(hero.png) }', true],
    // A browser ignores ".." above the top folder.
    ['Hero.png', 'p.html', '<img src="../../hero.png">', true],
    ['a/Hero.png', 'a/p.html', '<img src="./hero.png">', true],
    // A text that is not an address refers to no file.
    ['Hero.png', 'p.html', '<img src="%zz/hero.png"><img src="http:">', false],
    ['Hero.png', 'p.html', '<img src="data:hero.png"><img src="#hero.png"><img src="">', false],
    ['Hero.png', 'p.html', '<img src="none.png">', false],
  ];
  for (const [file, from, text, expected] of rows) {
    const reported = warned(await build({ [file]: PNG, [from]: text }));
    assert.deepEqual(reported, expected ? [['reference_case', from]] : [], `${file}: ${text}`);
  }
});

test('an absolute reference causes a warning', async () => {
  const wrong = await build({
    'main.js': 'fetch("/level.json"); fetch("/api/none.json")',
    'level.json': '{}',
    'page.html': '<script src="/main.js"></script><a href="/">home</a>',
    'style.css': 'a { background: url(/none.png) }',
  });
  assert.deepEqual(warned(wrong), [
    ['reference_absolute', 'main.js'],
    ['reference_absolute', 'page.html'],
    ['reference_absolute', 'style.css'],
  ]);
  const doubled = await build({ 'level.json': '{}', 'm.js': 'const path = "//level.json"' });
  assert.deepEqual(warned(doubled), [['reference_absolute', 'm.js']]);
  // Query and fragment are not part of the file name.
  const named = await build({
    'a.svg': 'x',
    'b.css': 'a { mask: url(/a.svg?v=1#one) url(/a.svg#two) }',
  });
  const [{ message, hint } = assert.fail(), ...others] = named.warnings;
  assert.deepEqual(others, []);
  assert.match(message, /refers to "\/a\.svg",/);
  assert.match(hint ?? '', /^Write it without the slash: "a\.svg"\. /);
});

test('a file has at most ten warnings, a build fifty, and a file twenty hosts', async () => {
  const references = (count: number): string =>
    Array.from({ length: count }, (_, i) => `<img src="/none-${i}.png">`).join('');
  assert.equal((await build({ 'a.html': references(10) })).warnings.length, 10);
  assert.equal((await build({ 'a.html': references(11) })).warnings.length, 10);
  // The same reference is reported once.
  assert.equal((await build({ 'a.html': references(3).repeat(9) })).warnings.length, 3);
  const pages = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}.html`, references(10)]));
  assert.equal((await build(pages(5))).warnings.length, 50);
  assert.equal((await build(pages(6))).warnings.length, 50);
  const hosts = Array.from({ length: 21 }, (_, i) => `h${String(i).padStart(2, '0')}.example`);
  const page = hosts.toReversed().map((host) => `<img src="//${host}/a">`);
  assert.deepEqual(await hostsOf('a.html', page.join('')), hosts.slice(0, 20));
});

test('a script’s path is compared by its last six segments, a page’s path by all segments', async () => {
  const path = 'a/b/c/d/e/F/g.png';
  const of = async (script: string) => warned(await build({ [path]: PNG, 'm.js': script }));
  const expected = [['reference_case', 'm.js']];
  for (const written of ['f/g.png', 'b/c/d/e/f/g.png', './e/f/g.png', '../../e/f/g.png']) {
    assert.deepEqual(await of(`load("${written}")`), expected, written);
  }
  for (const written of ['a/b/c/d/e/f/g.png', 'F/g.png', 'e/F/g.png', 'x/f/g.png', 'G.pngx']) {
    assert.deepEqual(await of(`load("${written}")`), [], written);
  }
  const page = await build({ [path]: PNG, 'p.html': '<img src="a/b/c/d/e/f/g.png">' });
  assert.deepEqual(warned(page), [['reference_case', 'p.html']]);
});

test('a host that several files load from is listed once', async () => {
  const page = '<img src="//b.example/1.png"><img src="//a.example/1.png">';
  const { foreign_hosts } = await build({ 'a.html': page, 'b.html': page });
  assert.deepEqual(foreign_hosts, ['a.example', 'b.example']);
});

test('the first 20,000 paths of a script are compared', async () => {
  const of = async (before: number) =>
    warned(await build({ 'Hero.png': PNG, 'm.js': `${'"a.b1";'.repeat(before)}"hero.png"` }));
  assert.deepEqual(await of(19_999), [['reference_case', 'm.js']]);
  assert.deepEqual(await of(20_000), []);
});
