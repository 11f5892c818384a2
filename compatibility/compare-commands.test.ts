import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Command, compareCommands } from './compare-commands.ts';

const option = (flags: string, more: Partial<Command['options'][number]> = {}) => ({
  ...{ flags, required: false, choices: null },
  ...more,
});
const COMMAND: Command = {
  name: 'trace report',
  arguments: ['<FILE>', '[MORE...]'],
  options: [option('-o, --out <OUT>'), option('--sort <BY>', { choices: ['a', 'b'] })],
  document: 'trace-report',
  streaming: false,
};

function changesTo(more: Partial<Command>): string[] {
  return compareCommands([COMMAND], [{ ...COMMAND, ...more }]).map(
    ({ where, what }) => `${where} ${what}`,
  );
}

const [out = option(''), sort = option('')] = COMMAND.options;

test('compareCommands: nothing, or something new', () => {
  assert.deepEqual(changesTo({}), []);
  assert.deepEqual(compareCommands([], [COMMAND]), []);
  assert.deepEqual(changesTo({ options: [...COMMAND.options, option('--new')] }), []);
  assert.deepEqual(changesTo({ arguments: ['[FILE]', '[OTHER...]'] }), []);
  assert.deepEqual(changesTo({ options: [option('-o, --out, --to <FILE>'), sort] }), []);
  const more = { ...sort, choices: ['a', 'b', 'c'] };
  assert.deepEqual(changesTo({ options: [out, more] }), []);
  assert.deepEqual(changesTo({ options: [out, { ...sort, choices: null }] }), []);
  const without = { ...COMMAND, document: null };
  assert.deepEqual(compareCommands([without], [COMMAND]), []);
});

test('compareCommands: a command or its document changed', () => {
  assert.deepEqual(compareCommands([COMMAND], []), [
    { where: 'svc trace report', what: 'is gone' },
  ]);
  for (const more of [{ document: null }, { document: 'trace-top' }, { streaming: true }]) {
    assert.deepEqual(changesTo(more), ['svc trace report --json writes something else']);
  }
});

test('compareCommands: arguments', () => {
  assert.deepEqual(changesTo({ arguments: ['<FILE>'] }), ['svc trace report takes no [MORE...]']);
  assert.deepEqual(changesTo({ arguments: ['<FILE>', '<MORE...>'] }), [
    'svc trace report <MORE...> is required now',
  ]);
  assert.deepEqual(changesTo({ arguments: ['<FILE>', '[MORE]'] }), [
    'svc trace report takes only one [MORE]',
  ]);
  assert.deepEqual(changesTo({ arguments: ['<TRACE>', '[OTHERS...]'] }), []);
  assert.deepEqual(changesTo({ arguments: ['<MORE>', '[FILE...]'] }), [
    'svc trace report takes <MORE> where it took <FILE>',
    'svc trace report takes [FILE...] where it took [MORE...]',
  ]);
  assert.deepEqual(changesTo({ arguments: ['<FILE>', '[MORE...]', '<LAST>'] }), [
    'svc trace report <LAST> is required now',
  ]);
});

test('compareCommands: options', () => {
  assert.deepEqual(changesTo({ options: [option('--out <OUT>'), sort] }), [
    'svc trace report -o is gone',
  ]);
  assert.deepEqual(changesTo({ options: [option('-o, --out'), sort] }), [
    'svc trace report -o takes no value',
    'svc trace report --out takes no value',
  ]);
  assert.deepEqual(changesTo({ options: [option('-o, --out <OUT...>'), sort] }), [
    'svc trace report -o takes a value: -o, --out <OUT...>',
    'svc trace report --out takes a value: -o, --out <OUT...>',
  ]);
  assert.deepEqual(changesTo({ options: [out, { ...sort, required: true }] }), [
    'svc trace report --sort is required now',
  ]);
  assert.deepEqual(changesTo({ options: [out, { ...sort, choices: ['b'] }] }), [
    'svc trace report --sort no longer accepts a',
  ]);
  assert.deepEqual(changesTo({ options: [{ ...out, choices: ['x', 'y'] }, sort] }), [
    'svc trace report -o accepts only x, y',
    'svc trace report --out accepts only x, y',
  ]);
  assert.deepEqual(
    changesTo({ options: [...COMMAND.options, option('--must', { required: true })] }),
    ['svc trace report --must is required now'],
  );
});
