import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeUsage } from './describe-usage.ts';

test('describeUsage names the option, the value and the accepted values', () => {
  const rows = [
    [
      "option '-p, --port <PORT>' argument '99999' is invalid. A port is a number from 0 to 65535.",
      'The value "99999" of --port is not valid. A port is a number from 0 to 65535.',
    ],
    [
      "option '--engine <ENGINE>' argument 'foo' is invalid. Allowed choices are html5, unity.",
      'The value "foo" of --engine is not valid. Allowed: html5, unity.',
    ],
    ["option '--ttl <TIME>' argument missing", 'The option --ttl has no value. Write --ttl <TIME>'],
    [
      "required option '--name <NAME>' not specified",
      'The option --name is missing. Add --name <NAME>',
    ],
    ["missing required argument 'FILE'", 'The argument FILE is missing'],
    ["unknown command 'publis'", "unknown command 'publis'"],
    ['something new', 'something new'],
  ];
  for (const [message = '', sentence] of rows) assert.equal(describeUsage(message), sentence);
});

test('describeUsage shows no control characters and no value that may be a token', () => {
  const hostile = describeUsage("option '--port <PORT>' argument 'x\u001b[31m\n' is invalid. Why.");
  assert.equal(hostile, 'The value "x<U+001B>[31m<U+000A>" of --port is not valid. Why.');
  const token = 'a1'.repeat(22);
  assert.doesNotMatch(
    describeUsage(`option '--port <PORT>' argument '${token}' is invalid. Why.`),
    /a1a1/,
  );
});
