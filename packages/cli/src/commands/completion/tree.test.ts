// The tree of commands that the completion scripts are built from.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CommandSpec, GroupSpec } from '../../command-line/define-command.ts';
import { readTree } from './tree.ts';

const run = async (): Promise<void> => {};

const MAKE: CommandSpec = {
  ...{ name: 'make', summary: 'Make it', document: 'init', run },
  arguments: [
    { name: '<FILE>', help: 'a file', value: { kind: 'file' } },
    { name: '[X]', help: 'x' },
  ],
  options: [
    { flags: '-o, --out <OUT>', help: 'where', value: { kind: 'folder' } },
    { flags: '--name [N]', help: 'a name' },
    { flags: '--no-open', help: 'no browser' },
    { flags: '--scope <S...>', help: 'scopes', value: { kind: 'words', words: ['a'] } },
  ],
};
const GROUP: GroupSpec = {
  ...{ name: 'token', summary: 'Tokens' },
  commands: [{ name: 'list', summary: 'List', run }],
};

test('readTree returns each place with its words, its options with their values, and its arguments', () => {
  const [start, make, group, list, help, ...rest] = readTree([MAKE, GROUP]);
  assert.deepEqual(rest, []);
  const words = [
    { name: 'make', help: 'Make it' },
    { name: 'token', help: 'Tokens' },
  ];
  assert.equal(start?.path, '');
  assert.deepEqual(start?.words, [...words, { name: 'help', help: 'show the help of a command' }]);
  assert.deepEqual(
    start?.options.map(({ names }) => names),
    [['-h', '--help'], ['-V', '--version'], ['--json']],
  );
  assert.equal(make?.path, 'make');
  assert.deepEqual(make?.values, [{ kind: 'file' }, { kind: 'none' }]);
  assert.deepEqual(
    make?.options.map(({ names, value }) => [names, value]),
    [
      [['-o', '--out'], { kind: 'folder' }],
      [['--name'], { kind: 'none' }],
      [['--no-open'], null],
      [['--scope'], { kind: 'words', words: ['a'] }],
      [['--json'], null],
      [['-h', '--help'], null],
    ],
  );
  assert.deepEqual([group?.path, group?.words], ['token', [{ name: 'list', help: 'List' }]]);
  assert.equal(list?.path, 'token list');
  assert.deepEqual(
    list?.options.map(({ names }) => names),
    [['-h', '--help']],
  );
  assert.deepEqual([help?.path, help?.words, help?.options], ['help', words, []]);
});
