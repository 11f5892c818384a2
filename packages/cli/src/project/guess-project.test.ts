// Guesses about a game from its files.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryFolder } from '../../test/svc.ts';
import { type Guess, guessProject } from './guess-project.ts';

type Files = Readonly<Record<string, string | object>>;

/** Guesses in a folder named `moon-hop` with these files. Objects are written as JSON. */
function guess(t: TestContext, files: Files): Guess {
  const folder = join(temporaryFolder(t), 'moon-hop');
  mkdirSync(folder);
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  }
  return guessProject(folder);
}

const page = (title: string): string => `<!doctype html><TITLE lang=en>${title}</TITLE>`;

test('guessProject uses the folder’s name and HTML5 for a game without files', (t) => {
  assert.deepEqual(guess(t, {}), { title: 'Moon hop', engine: 'html5', build: null });
});

test('guessProject finds the build in the first usual folder with a page', (t) => {
  const order = [
    ...['dist', 'build', 'Build', 'export', 'exports/web', 'export/web', 'build/web', 'builds/web'],
    ...['Builds/WebGL', 'out', 'web', 'html5', 'public', 'www'],
  ];
  order.forEach((name, at) => {
    const rest = order.slice(at).map((place) => [`${place}/index.html`, '']);
    const files = { ...Object.fromEntries(rest), 'index.html': '' };
    assert.equal(guess(t, files).build, name);
  });
  assert.equal(guess(t, { 'index.html': '' }).build, '.');
  assert.equal(guess(t, { 'dist/page.html': '' }).build, null);
});

test('guessProject takes a page beside a bundler’s manifest as a source, and names its dist as the build', (t) => {
  const bundler = { scripts: { build: 'vite build' } };
  assert.equal(guess(t, { 'package.json': bundler, 'index.html': '' }).build, 'dist');
  assert.equal(guess(t, { 'package.json': bundler, 'out/index.html': '' }).build, 'out');
  const plain = { scripts: { start: 'serve' } };
  assert.equal(guess(t, { 'package.json': plain, 'index.html': '' }).build, '.');
});

test('guessProject takes the title from the engine’s project, the page, the manifest or the folder, in that order', (t) => {
  const files: Record<string, string | object> = {
    'project.godot': '[application]\nconfig/name="Godot Cats"\n',
    'ProjectSettings/ProjectSettings.asset': 'PlayerSettings:\n  productName: Unity Cats\n',
    'dist/index.html': page(' Page\n Cats '),
    'package.json': { name: '@me/space-cats', displayName: 'shown_cats', productName: 'made.cats' },
  };
  const titles: string[] = [];
  const drop = (name: string): void => {
    titles.push(guess(t, files).title);
    delete files[name];
  };
  drop('project.godot');
  drop('ProjectSettings/ProjectSettings.asset');
  drop('dist/index.html');
  files['package.json'] = { name: '@me/space-cats', displayName: 'shown_cats' };
  titles.push(
    guess(t, { ...files, 'package.json': { displayName: 'shown', productName: 'made.cats' } })
      .title,
  );
  titles.push(guess(t, files).title);
  files['package.json'] = { name: '@me/space-cats' };
  drop('package.json');
  titles.push(guess(t, files).title);
  assert.deepEqual(titles, [
    ...['Godot Cats', 'Unity Cats', 'Page  Cats', 'Made cats', 'Shown cats', 'Space cats'],
    'Moon hop',
  ]);
});

test('guessProject ignores the title of a template, and shortens a long one', (t) => {
  for (const title of [
    ...['', ' ', 'Vite', 'Vite + TS', 'Document', 'index', 'Untitled', 'HTML5 Game', 'Webpack App'],
    ...['App', 'my-game', 'MyGame'],
  ]) {
    assert.equal(guess(t, { 'dist/index.html': page(title) }).title, 'Moon hop', title);
  }
  for (const title of ['Invite', 'Apples', 'My Game of Life', 'Documents']) {
    assert.equal(guess(t, { 'dist/index.html': page(title) }).title, title);
  }
  const long = guess(t, { 'dist/index.html': page('🚀'.repeat(81)) }).title;
  assert.equal(long, '🚀'.repeat(80));
  assert.equal(guess(t, { 'dist/index.html': page('a\u202eb\u0007c') }).title, 'ab c');
});

test('guessProject recognizes engines by dependencies first, then by files', (t) => {
  const rows: [files: Files, engine: string][] = [
    [{ 'package.json': { dependencies: { phaser: '1' } } }, 'phaser'],
    [{ 'package.json': { devDependencies: { playcanvas: '1' } } }, 'playcanvas'],
    [{ 'package.json': { dependencies: { '@babylonjs/core': '1', three: '1' } } }, 'babylon'],
    [{ 'package.json': { dependencies: { babylonjs: '1' } } }, 'babylon'],
    [{ 'package.json': { dependencies: { 'pixi.js': '1' } } }, 'pixi'],
    [{ 'package.json': { dependencies: { three: '1' } }, 'project.godot': '' }, 'three'],
    [{ 'project.godot': '' }, 'godot'],
    [{ 'export_presets.cfg': '' }, 'godot'],
    [{ 'dist/index.html': '', 'dist/game.pck': '' }, 'godot'],
    [{ 'ProjectSettings/ProjectVersion.txt': '' }, 'unity'],
    [{ 'dist/index.html': '', 'dist/Build/game.loader.js': '' }, 'unity'],
    [{ 'dist/index.html': '', 'dist/Build/game.framework.js.br': '' }, 'unity'],
    [{ 'dist/index.html': '', 'dist/Build/game.data.unityweb': '' }, 'unity'],
    [{ 'index.html': '', 'c3runtime.js': '' }, 'construct'],
    [{ 'index.html': '', 'c2runtime.js': '' }, 'construct'],
    [{ 'cats.yyp': '' }, 'gamemaker'],
    [{ 'dist/index.html': '', 'dist/html5game/x.js': '' }, 'gamemaker'],
    [{ 'cats.uproject': '' }, 'unreal'],
    [{ 'dist/index.html': '', 'dist/UE4Game.js': '' }, 'unreal'],
    [{ 'dist/index.html': '', 'dist/js/rmmz_core.js': '' }, 'rpgmaker'],
    [{ 'dist/index.html': '', 'dist/js/rpg_core.js': '' }, 'rpgmaker'],
    [{ 'cats.p8.png': '' }, 'pico8'],
    [{ 'dist/index.html': '', 'dist/lib/phaser.min.js': '' }, 'phaser'],
    [{ 'dist/index.html': '', 'dist/libs/pixi.mjs': '' }, 'pixi'],
    [{ 'index.html': '', 'js/three.module.min.js': '' }, 'three'],
    [{ 'index.html': '', 'babylon.max.js': '' }, 'babylon'],
    [{ 'index.html': '', 'playcanvas-stable.min.js': '' }, 'playcanvas'],
    [{ 'Cargo.toml': '[dependencies]\nbevy = "0.14"\n' }, 'bevy'],
    [{ 'Cargo.toml': '[dependencies]\nbevy.workspace = true\n' }, 'bevy'],
    [{ 'Cargo.toml': '[dependencies]\nbevyx = "0.14"\n' }, 'html5'],
    [{ 'index.html': '<tw-storydata name="x">' }, 'twine'],
    [{ 'index.html': '', 'not-phaser.js': '', 'x.html5game': '' }, 'html5'],
  ];
  for (const [files, engine] of rows) {
    assert.equal(guess(t, files).engine, engine, JSON.stringify(files));
  }
});

test('guessProject ignores an invalid manifest, and does not read a large file', (t) => {
  const padding = ' '.repeat(1024 * 1024);
  const rows: [manifest: string | object, title: string][] = [
    ['{"name":', 'Moon hop'],
    ['null', 'Moon hop'],
    ['[]', 'Moon hop'],
    [{ name: 7, dependencies: 'phaser', scripts: null }, 'Moon hop'],
    [`{"name":"cats"}${padding.slice('{"name":"cats"}'.length)}`, 'Cats'],
    [`{"name":"cats"}${padding.slice('{"name":"cats"}'.length - 1)}`, 'Moon hop'],
  ];
  for (const [manifest, title] of rows) {
    assert.deepEqual(guess(t, { 'package.json': manifest }), {
      title,
      engine: 'html5',
      build: null,
    });
  }
});
