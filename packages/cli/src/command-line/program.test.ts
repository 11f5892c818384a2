// How commands receive the options of the command line.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CommandSpec } from './define-command.ts';
import { buildProgram } from './program.ts';

const SPEC: CommandSpec = {
  name: 'make',
  summary: 'Make it',
  options: [
    { flags: '--scope <scope...>', help: 'scopes', choices: ['read', 'write'] },
    { flags: '--name <name>', help: 'a name' },
  ],
  run: async () => {},
};

async function optionsOf(...argv: string[]): Promise<Record<string, unknown>> {
  let given: Record<string, unknown> = {};
  const program = buildProgram([SPEC], async (_spec, _args, options) => {
    given = options;
  });
  await program.parseAsync(['make', ...argv], { from: 'user' });
  return given;
}

test('buildProgram collects the values of an option that accepts several, repeated or in a row', async () => {
  const both = { scope: ['read', 'write'] };
  assert.deepEqual(await optionsOf('--scope', 'read', 'write'), both);
  assert.deepEqual(await optionsOf('--scope', 'read', '--scope', 'write'), both);
  assert.deepEqual(await optionsOf('--scope', 'read'), { scope: ['read'] });
  await assert.rejects(optionsOf('--scope', 'read', 'other'), /Allowed choices are read, write/);
});

test('buildProgram rejects an option for one value that is given twice', async () => {
  assert.deepEqual(await optionsOf('--name', 'a'), { name: 'a' });
  await assert.rejects(optionsOf('--name', 'a', '--name', 'b'), /--name is given more than once/);
});
