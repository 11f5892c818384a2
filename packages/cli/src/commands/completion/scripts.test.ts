// The text of the zsh and fish scripts: what they offer, and the quoting of help texts. Needs neither shell.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatFish } from './fish.ts';
import type { PlaceNode } from './tree.ts';
import { formatZsh } from './zsh.ts';

const PLACES: readonly PlaceNode[] = [
  {
    path: '',
    words: [
      { name: 'make', help: "Make it: don't wait" },
      { name: 'token', help: 'Tokens' },
    ],
    options: [{ names: ['-h', '--help'], help: 'show help', value: null }],
    values: [],
  },
  {
    path: 'make',
    words: [],
    options: [
      { names: ['-o', '--out'], help: "[a\\b]: it's", value: { kind: 'folder' } },
      { names: ['--scope'], help: 'scopes', value: { kind: 'words', words: ['a', 'b'] } },
      { names: ['--name'], help: 'a name', value: { kind: 'none' } },
      { names: ['--in'], help: 'a file', value: { kind: 'file' } },
    ],
    values: [{ kind: 'file' }, { kind: 'none' }, { kind: 'file' }],
  },
  { path: 'token', words: [{ name: 'list-all', help: 'List' }], options: [], values: [] },
  {
    path: 'token list-all',
    words: [],
    options: [],
    values: [{ kind: 'words', words: ['x', 'y'] }, { kind: 'folder' }],
  },
  { path: 'help', words: [{ name: 'make', help: 'Make' }], options: [], values: [] },
];

/** The lines of a function of a zsh script. */
function bodyOf(script: string, name: string): string[] {
  const [, body = ''] = script.split(`\n${name}() {\n`);
  return (body.split('\n}\n')[0] ?? '').split('\n').map((line) => line.trim());
}

test('formatZsh writes a function for each place, with its words, its options and its values in order', () => {
  const script = formatZsh(PLACES);
  assert.match(script, /^#compdef svc\n/);
  assert.match(script, /\ncompdef _svc svc\n$/);
  assert.deepEqual(bodyOf(script, '_svc_make'), [
    `_arguments -S '(-o --out)-o[\\[a\\b\\]\\: it'\\''s]:value:_files -/' \\`,
    `'(-o --out)--out[\\[a\\b\\]\\: it'\\''s]:value:_files -/' \\`,
    "'(--scope)--scope[scopes]:value:(a b)' \\",
    "'(--name)--name[a name]:value: ' \\",
    "'(--in)--in[a file]:value:_files' \\",
    "'1:value:_files' \\",
    "'2:value: ' \\",
    "'3:value:_files'",
  ]);
  const start = bodyOf(script, '_svc');
  for (const line of [
    "_arguments -C -S '(-h --help)-h[show help]' \\",
    "'(-h --help)--help[show help]' \\",
    `local -a words_here=('make:Make it: don'\\''t wait' 'token:Tokens')`,
    'make) _svc_make ;;',
    'token) _svc_token ;;',
  ]) {
    assert.ok(start.includes(line), line);
  }
  assert.ok(bodyOf(script, '_svc_token').includes('list-all) _svc_token_list_all ;;'));
  assert.deepEqual(bodyOf(script, '_svc_token_list_all'), [
    "_arguments -S '1:value:(x y)' \\",
    "'2:value:_files -/'",
  ]);
  // No word follows `svc help make`.
  assert.ok(bodyOf(script, '_svc_help').includes('make)  ;;'));
});

test('formatFish writes a line for each word, option and kind of value, at its place', () => {
  const script = formatFish(PLACES);
  assert.match(script, /^ {8}contains -- "\$place" 'token' 'help'; or break$/m);
  const at = (place: string): string[] => {
    const here = `complete -c svc -n '__svc_place \\'${place}\\'' `;
    const lines = script.split('\n').filter((line) => line.startsWith(here));
    return lines.map((line) => line.slice(here.length));
  };
  assert.deepEqual(at(''), [
    "-a 'make' -d 'Make it: don\\'t wait'",
    "-a 'token' -d 'Tokens'",
    "-s h -l help -d 'show help'",
  ]);
  assert.deepEqual(at('make'), [
    "-s o -l out -d '[a\\\\b]: it\\'s' -r -a '(__fish_complete_directories)'",
    "-l scope -d 'scopes' -r -a 'a b'",
    "-l name -d 'a name' -r",
    "-l in -d 'a file' -r -F",
    '-F',
  ]);
  assert.deepEqual(at('token'), ["-a 'list-all' -d 'List'"]);
  assert.deepEqual(at('token list-all'), ["-a 'x y'", "-a '(__fish_complete_directories)'"]);
  assert.deepEqual(at('help'), ["-a 'make' -d 'Make'"]);
  // Files are offered only by lines that ask for them.
  assert.ok(script.split('\n').includes('complete -c svc -f'));
});
