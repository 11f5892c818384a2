// Guesses title, engine and build folder of a project from its files. Ignores files that it cannot read.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { cleanLine } from '@svc/contracts/platform';
import type { EngineName } from './project-file.ts';

export type Guess = {
  readonly title: string;
  readonly engine: EngineName;
  /** Relative to the folder, with forward slashes. Null if no folder looks like a build. */
  readonly build: string | null;
};

/** The usual folders of builds. The first one with an index.html is the guess. */
const BUILD_FOLDERS = [
  'dist',
  'build',
  'Build',
  'export',
  'exports/web',
  'export/web',
  'build/web',
  'builds/web',
  'Builds/WebGL',
  'out',
  'web',
  'html5',
  'public',
  'www',
  '.',
];

const LONGEST_BYTES = 1024 * 1024;

export function guessProject(folder: string): Guess {
  const manifest = readManifest(folder);
  const build = guessBuild(folder, manifest);
  return {
    title: guessTitle(folder, manifest, build),
    engine: guessEngine(folder, manifest, build),
    build,
  };
}

type PackageManifest = {
  readonly names: readonly string[];
  readonly dependencies: ReadonlySet<string>;
  readonly builds: boolean;
};

function readManifest(folder: string): PackageManifest | null {
  try {
    const value: unknown = JSON.parse(readStart(join(folder, 'package.json')));
    if (typeof value !== 'object' || value === null) return null;
    const record = new Map<string, unknown>(Object.entries(value));
    const keysOf = (key: string): string[] => {
      const part = record.get(key);
      return typeof part === 'object' && part !== null ? Object.keys(part) : [];
    };
    return {
      names: [record.get('productName'), record.get('displayName'), record.get('name')].filter(
        (name) => typeof name === 'string',
      ),
      dependencies: new Set([...keysOf('dependencies'), ...keysOf('devDependencies')]),
      builds: keysOf('scripts').includes('build'),
    };
  } catch {
    return null;
  }
}

function guessBuild(folder: string, manifest: PackageManifest | null): string | null {
  const found = BUILD_FOLDERS.find((name) => {
    // The index.html beside a bundler's package.json is part of the sources.
    if (name === '.' && manifest?.builds === true) return false;
    return existsSync(join(folder, name, 'index.html'));
  });
  if (found !== undefined) return found;
  return manifest?.builds === true ? 'dist' : null;
}

function guessTitle(
  folder: string,
  manifest: PackageManifest | null,
  build: string | null,
): string {
  const candidates = [
    match(folder, 'project.godot', /^config\/name\s*=\s*"([^"\n]+)"/m),
    match(folder, 'ProjectSettings/ProjectSettings.asset', /^\s*productName:\s*(.+)$/m),
    match(folder, join(build ?? '.', 'index.html'), /<title[^>]*>([^<]+)<\/title>/i),
    ...(manifest?.names ?? []).map(fromIdentifier),
    fromIdentifier(basename(folder)),
  ];
  const title = candidates.map((text) => cleanLine(text ?? '')).find((text) => isTitle(text));
  return cleanLine([...(title ?? 'My game')].slice(0, 80).join(''));
}

/** False for an empty title and for the default titles of templates. */
function isTitle(text: string): boolean {
  return (
    text !== '' &&
    !/^(vite( \+ .*)?|document|index|untitled|html5 game|webpack app|app|my-?game)$/i.test(text)
  );
}

/** `@me/space-cats` as `Space cats`. */
function fromIdentifier(name: string): string {
  const words = name
    .replace(/^@[^/]*\//, '')
    .replaceAll(/[-_.]+/g, ' ')
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const BY_DEPENDENCY: readonly (readonly [string, EngineName])[] = [
  ['phaser', 'phaser'],
  ['playcanvas', 'playcanvas'],
  ['@babylonjs/core', 'babylon'],
  ['babylonjs', 'babylon'],
  ['pixi.js', 'pixi'],
  ['three', 'three'],
];

const BY_FILE: readonly (readonly [RegExp, EngineName])[] = [
  [/^project\.godot$|\.pck$|^export_presets\.cfg$/, 'godot'],
  [
    /\.(loader|framework)\.js(\.(br|gz|unityweb))?$|\.unityweb$|^ProjectVersion\.txt$|^UnityLoader\.js$/,
    'unity',
  ],
  [/^c[23]runtime\.js$/, 'construct'],
  [/\.yyp$|^html5game$/, 'gamemaker'],
  [/\.uproject$|^UE4Game/, 'unreal'],
  [/^(rmmz_core|rpg_core|rmmz_managers)\.js$/, 'rpgmaker'],
  [/\.p8(\.png|\.js)?$/, 'pico8'],
  [/^phaser(\.min)?\.js$/, 'phaser'],
  [/^pixi(\.min)?\.m?js$/, 'pixi'],
  [/^three(\.module)?(\.min)?\.js$/, 'three'],
  [/^babylon(\.max)?\.js$/, 'babylon'],
  [/^playcanvas(-stable)?(\.min)?\.js$/, 'playcanvas'],
];

function guessEngine(
  folder: string,
  manifest: PackageManifest | null,
  build: string | null,
): EngineName {
  for (const [name, engine] of BY_DEPENDENCY) {
    if (manifest?.dependencies.has(name) === true) return engine;
  }
  const places = [
    folder,
    join(folder, 'ProjectSettings'),
    ...(build === null ? [] : buildPlaces(join(folder, build))),
  ];
  const names = places.flatMap(listNames);
  for (const [pattern, engine] of BY_FILE) {
    if (names.some((name) => pattern.test(name))) return engine;
  }
  if (match(folder, 'Cargo.toml', /^(bevy)\s*[=.]/m) !== null) return 'bevy';
  const page = match(folder, join(build ?? '.', 'index.html'), /(<tw-storydata)/);
  return page === null ? 'html5' : 'twine';
}

function buildPlaces(build: string): string[] {
  return ['.', 'Build', 'js', 'lib', 'libs'].map((name) => join(build, name));
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder).slice(0, 5000);
  } catch {
    return [];
  }
}

function match(folder: string, path: string, pattern: RegExp): string | null {
  try {
    return pattern.exec(readStart(join(folder, path)))?.[1] ?? null;
  } catch {
    return null;
  }
}

function readStart(path: string): string {
  if (statSync(path).size > LONGEST_BYTES) return '';
  return readFileSync(path, 'utf8');
}
