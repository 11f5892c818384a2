import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMarkdown } from '../markdown/parse-markdown.ts';
import { commandsIn, findCommands } from './find-commands.ts';

const NAMES = new Set(['npm', 'svc', 'svc play', 'svc trace info']);

const found = (markdown: string): string[] =>
  findCommands(parseMarkdown(markdown).code, NAMES).map(({ words }) => words.join(' '));

const block = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;

const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  'a b  # comment': ['a b'],
  '# comment': [],
  "a && b || c | d; e 'f g'": ['a', 'b', 'c', 'd', 'e f g'],
  'a > out <in 2> errors b': ['a 2 b'],
  'A=1 B="x y" c d': ['c d'],
  'A=1': [],
  'A=$(b c) && d $(e)': ['b c', 'd OUTPUT', 'e'],
  '(cd x; y)': ['cd x', 'y'],
  'a \\\n  b ||\n  c': ['a b', 'c'],
  'a *.md "$B"': ['a *.md $B'],
  'a ${{ github.event.number }}': ['a 1'],
};

for (const [script, commands] of Object.entries(SCRIPTS)) {
  test(`the commands of ${JSON.stringify(script)} are ${commands.join(' and ') || 'none'}`, () => {
    assert.deepEqual(
      commandsIn(script, true, 1).map(({ words }) => words.join(' ')),
      commands,
    );
  });
}

test('code in a sentence is a command if it starts with a program or a command of svc', () => {
  const markdown = [
    ...['`npm ci`', '`npm`', '`svc trace`', '`trace info FILE`', '`play [DIR|ZIP]`'],
    ...['`play music`', '`gunzip -k`', '`a = -1`', '`{"b": 1}`', '`trace file`'],
  ].join(' ');
  assert.deepEqual(found(markdown), [
    'npm ci',
    'svc trace',
    'trace info FILE',
    'play [DIR|ZIP]',
    'gunzip -k',
  ]);
});

test('code in a sentence may be incomplete, and a block may not', () => {
  const commands = findCommands(
    parseMarkdown(`\`npm ci\`\n\n${block('sh', 'npm test')}`).code,
    NAMES,
  );
  assert.deepEqual(
    commands.map(({ isWhole, line }) => [isWhole, line]),
    [
      [false, 1],
      [true, 3],
    ],
  );
});

test('recipes have commands in their scripts only', () => {
  const yaml =
    'jobs:\n  one:\n    name: npm start\n    steps:\n      - run: npm ci && svc check\n      - run: |\n          a\n          b\nsite:\n  script:\n    - c d';
  assert.deepEqual(found(block('yaml', yaml)), ['npm ci', 'svc check', 'a', 'b', 'c d']);
});

test('the settings of an assistant start a program', () => {
  const json = '{ "mcpServers": { "x": { "command": "svc", "args": ["mcp", "a b"] } } }';
  assert.deepEqual(found(block('json', json)), ['svc mcp a b']);
  assert.deepEqual(found(block('json', '{ "a": 1 }')), []);
});

test('blocks of text and of other languages have no commands', () => {
  assert.deepEqual(found(block('text', 'svc check')), []);
});

for (const language of ['', 'bash']) {
  test(`a block with the language "${language}" is refused`, () => {
    assert.throws(() => found(block(language, 'svc check')), /unknown language/);
  });
}
