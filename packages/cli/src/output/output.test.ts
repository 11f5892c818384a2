// What is written to standard output and to standard error, with and without --json.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { EXIT, ExitError } from '../process/exit-codes.ts';
import type { Io } from '../process/io.ts';
import { createOutput, type Output } from './output.ts';

/** The text that `work` writes to both streams. */
function written(
  mode: { json: boolean; streaming?: boolean },
  work: (output: Output<object>) => void,
): { stdout: string; stderr: string } {
  const stdout = new PassThrough({ encoding: 'utf8' });
  const stderr = new PassThrough({ encoding: 'utf8' });
  work(createOutput({ stdout, stderr } as unknown as Io, mode));
  return { stdout: stdout.read() ?? '', stderr: stderr.read() ?? '' };
}

test('createOutput writes results and lines without --json, and documents and events with --json', () => {
  const all = (output: Output<object>): void => {
    output.result({ a: 1 }, () => ['one', 'two']);
    output.result({ b: 2 }, () => 'three');
    output.event({ c: 3 });
    output.line('four');
    output.note('a note\u001b');
    output.warn('a warning\u001b');
  };
  const stderr = 'a note\\x1b\nwarning: a warning\\x1b\n';
  assert.deepEqual(written({ json: false }, all), { stdout: 'one\ntwo\nthree\nfour\n', stderr });
  assert.deepEqual(written({ json: true }, all), {
    stdout: '{\n  "a": 1\n}\n{\n  "b": 2\n}\n{"c":3}\n',
    stderr,
  });
});

test('createOutput reports an error on stderr, and as a document unless the command is streaming', () => {
  const failure = new ExitError(EXIT.invalid, 'bad_build', 'It is bad\u001b.', {
    hint: 'Mend it.',
    line: 2,
    column: 3,
    details: [{ rule: 'x', entry: 'a\nb', message: 'Wrong', hint: 'Right' }],
    retry_after_s: 5,
    result: { done: true },
  });
  const stderr = 'svc: It is bad\\x1b.\n  a\\nb: Wrong\n    Right\nMend it.\n';
  assert.deepEqual(
    written({ json: false }, (output) => output.fail(failure)),
    { stdout: '', stderr },
  );
  assert.deepEqual(
    written({ json: true, streaming: true }, (output) => output.fail(failure)),
    { stdout: '', stderr },
  );
  const reported = written({ json: true }, (output) => output.fail(failure));
  assert.equal(reported.stderr, stderr);
  assert.deepEqual(JSON.parse(reported.stdout), {
    done: true,
    error: {
      code: 'bad_build',
      message: 'It is bad\u001b.',
      exit_code: 7,
      line: 2,
      column: 3,
      hint: 'Mend it.',
      details: [{ rule: 'x', entry: 'a\nb', message: 'Wrong', hint: 'Right' }],
      retry_after_s: 5,
    },
  });
  const bare = written({ json: true }, (output) =>
    output.fail(new ExitError(EXIT.unexpected, 'x', 'No.')),
  );
  assert.deepEqual(JSON.parse(bare.stdout), { error: { code: 'x', message: 'No.', exit_code: 1 } });
});

test('createOutput names the place of a detail, unless its sentence names the field', () => {
  const details = [
    { path: '/title', message: 'The title is long.' },
    { path: '/x', message: 'Once more.', hint: 'A hint.' },
  ];
  const reported = (code: string, message: string): string =>
    written({ json: false }, (output) =>
      output.fail(new ExitError(EXIT.invalid, code, message, { details })),
    ).stderr;
  assert.equal(
    reported('other', 'The title is long.'),
    'svc: The title is long.\n  /title: The title is long.\n  /x: Once more.\n    A hint.\n',
  );
  for (const code of ['invalid_input', 'project_file_invalid', 'slug_taken', 'version_exists']) {
    assert.equal(
      reported(code, 'Wrong.'),
      'svc: Wrong.\n  The title is long.\n  Once more.\n    A hint.\n',
    );
    // A detail that repeats the message is left out, unless it has a hint.
    assert.equal(reported(code, 'The title is long.').split('The title is long.').length, 2);
    assert.equal(reported(code, 'Once more.').split('Once more.').length, 3);
  }
});
