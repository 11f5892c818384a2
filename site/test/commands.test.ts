// Each command in the documents and in the generated pages exists, with its options and arguments.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makePages } from '../make-pages.ts';
import { parseMarkdown } from '../markdown/parse-markdown.ts';
import { findFault, programNames } from './check-command.ts';
import { findOptionFault, isOption } from './check-option.ts';
import { findCommands } from './find-commands.ts';
import { readTexts } from './read-texts.ts';

const names = await programNames();

async function faultsIn(path: string, markdown: string): Promise<string[]> {
  const faults: string[] = [];
  for (const command of findCommands(parseMarkdown(markdown).code, names)) {
    const fault = await findFault(command);
    if (fault !== null)
      faults.push(`${path}:${command.line}: ${command.words.join(' ')}: ${fault}`);
  }
  return faults;
}

test('each command in the documents can be run as it is written', async () => {
  const faults: string[] = [];
  for (const [path, text] of readTexts()) {
    faults.push(...(await faultsIn(path, text)));
  }
  assert.deepEqual(faults, []);
});

test('commands are found: those of svc, of npm and of others', () => {
  const found = [...readTexts()].flatMap(([, text]) =>
    findCommands(parseMarkdown(text).code, names),
  );
  const countOf = (name: string) => found.filter(({ words }) => words.includes(name)).length;
  assert.ok(countOf('svc') > 150, `${countOf('svc')} of svc`);
  assert.ok(countOf('npm') > 20, `${countOf('npm')} of npm`);
  assert.ok(found.length > 300, `${found.length} commands`);
});

test('each option that a sentence names without its command exists', async () => {
  const faults: string[] = [];
  for (const [path, text] of readTexts()) {
    const named = parseMarkdown(text).code.filter(
      (one) => one.language === null && isOption(one.text),
    );
    for (const one of named) {
      const fault = await findOptionFault(one.text);
      if (fault !== null) faults.push(`${path}:${one.line}: ${fault}`);
    }
  }
  assert.deepEqual(faults, []);
});

for (const option of [
  '--json',
  '-o',
  '--probes stacks',
  '--sizes-only',
  '--sign-key FILE',
  '--prefix DIR',
]) {
  test(`${option} is an option of a program`, async () => {
    assert.ok(isOption(option));
    assert.equal(await findOptionFault(option), null);
  });
}

for (const option of ['--jsons', '-z', '--sizes', '--sign FILE']) {
  test(`${option} is an option of no program`, async () => {
    assert.ok(isOption(option));
    assert.match((await findOptionFault(option)) ?? '', /^no program has the option -/);
  });
}

test('a number or a dash is no option', () => {
  assert.deepEqual(['-1', '-', '--', 'a', '-1 px'].filter(isOption), []);
});

test('each example of the command reference can be run as it is written', async () => {
  const faults: string[] = [];
  for (const [path, text] of (await makePages()).pages) {
    if (path.startsWith('reference/')) faults.push(...(await faultsIn(path, text)));
  }
  assert.deepEqual(faults, []);
});
