import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CommandSpec, GroupSpec } from '../../packages/cli/src/command-line/define-command.ts';
import { commandPage, commandsPage } from './command-page.ts';
import type { Schema } from './schema-rows.ts';

const run = async (): Promise<void> => {};

const COPY: CommandSpec = {
  name: 'copy',
  summary: 'Copy a <file>',
  description: 'First.\n\nSecond.',
  arguments: [
    { name: '<FROM>', help: 'the file' },
    { name: '[TO]', help: 'its place' },
  ],
  options: [
    { flags: '-f, --format <NAME>', help: 'the format', choices: ['a', 'b'], required: true },
    { flags: '--no-open', help: 'open nothing' },
  ],
  examples: [['svc copy a b', 'copies a|b']],
  document: 'init',
  run,
};

const findSchema = (name: string): Schema => ({
  type: 'object',
  required: [name],
  properties: { [name]: { type: 'string' } },
});

const lines = (page: string): string[] => page.split('\n');

test('the page of a command has its summary, usage, description, arguments, options, examples and output', () => {
  const page = lines(commandPage(COPY, findSchema));
  const wanted = [
    '# svc copy',
    'Copy a &lt;file>.',
    'svc copy <FROM> [TO] --format <NAME> [OPTION ...]',
    'First.',
    'Second.',
    '## Arguments',
    '| `<FROM>` | the file |',
    '| `[TO]` | its place |',
    '## Options',
    '| `-f, --format <NAME>` | the format; one of `a`, `b`; required |',
    '| `--no-open` | open nothing |',
    '| `--json` | write the result as JSON |',
    '## Examples',
    'copies a|b:',
    'svc copy a b',
    '## JSON output',
    '| `init` | string |  |',
  ];
  assert.deepEqual(
    page.filter((line) => wanted.includes(line)),
    wanted,
  );
});

test('lines of a description that begin with spaces stay as they are', () => {
  const description = 'First:\n  sh   *x*\n  zsh  y\n\nLast.';
  const page = commandPage({ name: 'off', summary: 'End', description, run }, findSchema);
  assert.ok(page.includes('\n\nFirst:\n\n```text\n  sh   *x*\n  zsh  y\n```\n\nLast.\n\n'), page);
});

test('a command without arguments, options, examples and output has no empty sections', () => {
  const page = commandPage({ name: 'off', summary: 'End', run }, findSchema);
  assert.doesNotMatch(page, /^#{2,}|--json/m);
});

test('a command that writes events says so', () => {
  const page = commandPage({ ...COPY, streaming: true }, findSchema);
  assert.match(page, /\| `--json` \| write one JSON line for each event \|/);
  assert.match(page, /`--json` writes one line for each event/);
});

test('the page of a group has a section for each command, one level lower', () => {
  const group: GroupSpec = {
    name: 'file',
    summary: 'Handle files',
    commands: [COPY, { ...COPY, name: 'move' }],
  };
  const headings = lines(commandPage(group, findSchema)).filter((line) => line.startsWith('#'));
  assert.deepEqual(headings.slice(0, 6), [
    '# svc file',
    '## svc file copy',
    '### Arguments',
    '### Options',
    '### Examples',
    '### JSON output',
  ]);
  assert.ok(headings.includes('## svc file move'));
});

test('the first page links to each command and lists the exit codes and the document of an error', () => {
  const page = commandsPage([COPY], findSchema('error'));
  assert.match(page, /^\| \[`svc copy`\]\(copy\.md\) \| Copy a &lt;file> \|$/m);
  assert.match(page, /^\| 130 \| interrupted \|$/m);
  assert.match(page, /^\| `error` \| string \|/m);
});
